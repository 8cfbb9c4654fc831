"""The Chinese sentences of the program's check, of the clocks, and of the page on complaints. Part of :mod:`punto.catalogue.zh`."""

SENTENCES = {
    "alarm.clock_differs_database_ahead": "{subject}的时钟比数据库快{seconds}秒。",
    "alarm.clock_differs_database_behind": "{subject}的时钟比数据库慢{seconds}秒。",
    "alarm.clock_differs_process_ahead": "{subject}的时钟比{other}快{seconds}秒。",
    "alarm.clock_differs_process_behind": "{subject}的时钟比{other}慢{seconds}秒。",
    "alarm.clock_differs_record_behind": "{subject}的时钟比最后一条记录慢{seconds}秒。",
    "alarm.generator_failed": "随机数发生器未通过检测。服务器重新启动之前，虚拟牌桌停用。",
    "alarm.program_changed": "运行中的程序文件已被更改：{files}。",
    "threshold.clock_differs_s": "时钟相差",
    "generator_failed": "随机数发生器未通过检测{test!r}，因此本桌不开新局、不洗新牌靴。请查明原因后重新启动服务器。",
    "generator_failed@player": "本桌已停止：无法洗牌。您可以离开并兑现筹码。",
    "bad_settings.contact": "联系方式最多{most}个字符，且须均可显示。",
}
