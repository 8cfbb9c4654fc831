"""The Chinese sentences of players at the pit and of their codes. Part of :mod:`punto.catalogue.zh`."""

SENTENCES = {
    "no_player_code.closed": "{table!r}已关台。客人在已开台的赌桌有筹码后才能取得登录码。",
    "no_player_code.felt": "{table!r}的注码直接放在台面上，客人无需登录。",
    "no_player_code.not_here": "{who!r}在{table!r}没有筹码，请先售出筹码。",
    "no_player_code.play_money": "{table!r}使用练习筹码，访客用名字进入即可。",
    "wrong_code.player": "编号与登录码不符，或登录码已用过、已失效。请向荷官索取新码。",
    "locked_out.player_code": "登录码错误次数太多，请{minutes}分钟后再试，或向荷官索取新码。",
    "visitor_elsewhere.code": "登记客人只能在登录码所属的赌桌{table!r}操作。",
    "visitor_elsewhere.code@player": "您登录的是{table!r}，只能在该桌游戏。",
    "visitor_elsewhere.felt": "{table!r}的注码直接放在台面上，由荷官录入。",
    "visitor_elsewhere.felt@player": "本桌的注码直接放在台面上，由荷官录入。",
    "enter.player": "使用登录码",
    "enter.player_lead": "买码单上印有您的编号和登录码，当日有效，只能使用一次。",
    "enter.player_id": "您的编号",
    "enter.player_code": "登录码",
    "enter.player_enter": "用登录码游戏",
}
