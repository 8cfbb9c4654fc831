"""The Chinese sentences of a round's moments for a player: the squeeze, the win, sounds. Part of ``catalogue.zh``."""

SENTENCES = {
    "call.squeezing": "玩家正在眯牌",
    "squeeze.here": "由注额最高的玩家眯牌。",
    "squeeze.none": "注额最高时可要求眯牌：牌位上会出现按钮。",
    "squeeze.yours": "由您眯牌",
    "squeeze.title": "眯{side:side}牌",
    "squeeze.how": "拖动牌边或牌角，或按方向键，慢慢掀开。亮牌之前，只有您看得到。",
    "squeeze.card": "{side:side}的第{number}张牌",
    "squeeze.by_key": "掀牌",
    "squeeze.lay_open": "亮牌",
    "win.round": "第{number}局：",
    "win.while_away": "您离开期间：第{number}局，",
    "event.card_laid_open": "{who}亮出第{place}张牌。",
}
