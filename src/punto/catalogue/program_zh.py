"""The Chinese sentences of the program's check, of the clocks, and of the page on complaints. Part of :mod:`punto.catalogue.zh`."""

SENTENCES = {
    "alarm.clock_differs_database_ahead": "{subject}的时钟比数据库快{seconds}秒。",
    "alarm.clock_differs_database_behind": "{subject}的时钟比数据库慢{seconds}秒。",
    "alarm.clock_differs_process_ahead": "{subject}的时钟比{other}快{seconds}秒。",
    "alarm.clock_differs_process_behind": "{subject}的时钟比{other}慢{seconds}秒。",
    "alarm.clock_differs_record_behind": "{subject}的时钟比最后一条记录慢{seconds}秒。",
    "alarm.program_changed": "运行中的程序文件已被更改：{files}。",
    "threshold.clock_differs_s": "时钟相差",
    "bad_settings.contact": "联系方式最多{most}个字符，且须均可显示。",
}
