"""The Chinese sentences of incidents. Part of :mod:`punto.catalogue.zh`."""

SENTENCES = {
    "incident.late_bet": "截止后的下注",
    "incident.uninsured": "未提供保险",
    "incident.restart": "服务器曾中断",
}
