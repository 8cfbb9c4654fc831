"""The Chinese sentences of the auditor's desk. Part of :mod:`punto.catalogue.zh`."""

SENTENCES = {
    "day_not_over": "营业日{day}尚未结束，请在结束后签核。",
    "day_signed_off": "您已签核过{day}。每人对每个营业日只签核一次。",
    "desk.link": "审计",
    "desk.title": "审计台",
    "desk.pages": "审计台的页面",
    "desk.day_of": "营业日{day}",
    "desk.tab.day": "营业日",
    "desk.tab.rounds": "牌局",
    "desk.tab.record": "赌场记录",
    "desk.tab.jobs": "核验与导出",
    "desk.tab.looks": "查阅记录",
    "desk.tab.program": "程序",
}
