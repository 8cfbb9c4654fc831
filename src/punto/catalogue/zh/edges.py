"""The Chinese sentences of the edges before a round. Part of :mod:`punto.catalogue.zh`."""

SENTENCES = {
    "edges.caption": "第{round}局开始前的赌场优势，已出{cards}张牌",
    "edges.favour": "优势为负：",
    "edges.advantage": "{bet}{advantage}",
    "edges.favours_bettor": "对下注者有利",
    "edges.first_card_known": "首牌已知",
    "edges.unknown": "暂无数据：没有可开下一局的牌靴，或服务器启动时本局已在发牌。",
}
