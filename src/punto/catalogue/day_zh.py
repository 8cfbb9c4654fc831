"""The Chinese sentences of the floor's settings and its gaming day. Part of :mod:`punto.catalogue.zh`."""

SENTENCES = {
    "name_taken.table": "{name!r}与{table!r}相似，而那是另一张赌桌的名称。请另选一个。",
    "page.zone": "所有时间均为{zone}时间。",
    "bad_period.both": "请只给出营业日，或只给出起止时间，不要同时给出两者。",
    "bad_period.no_day": "班次属于某个营业日，请说明是哪一天。",
    "bad_period.shift": "本场每个营业日有第1至第{most}班，没有第{shift}班。",
    "bad_settings.alarm": "没有名为{name!r}的警报阈值。GET /api/settings列出全部阈值。",
    "bad_settings.cash": "大额现金的金额必须为0至{most}。0表示不设。",
    "bad_settings.first": "第一班必须与营业日同时在{starts}开始，而不是{shift}。",
    "bad_settings.hour": "{text!r}不是有效的时刻，请写小时和分钟，例如08:00。",
    "bad_settings.number": "每个营业日可设1至{most}班，此清单有{shifts}班。",
    "bad_settings.overlap": "各班{shifts}没有按时钟依次衔接。请按营业日的次序列出，每个开始时刻只列一次。",
    "bad_settings.threshold": "阈值`{name}`必须为0至{most}。0表示关闭该警报。",
    "bad_settings.tray": "赌桌须能容纳1至{most}枚最大面额的筹码。",
    "bad_settings.zone": "{zone!r}不是时区，请用IANA数据库的名称，例如Asia/Singapore。",
}
