"""The Chinese sentences of rounds to step through. Part of :mod:`punto.catalogue.zh`."""

SENTENCES = {
    "account.bank": "筹码来源",
    "account.float": "赌桌筹码",
    "account.felt": "桌面投注",
    "account.commission": "佣金",
    "account.rounding": "取整",
    "account.vouchers": "兑换券",
    "account.brought": "自带筹码",
    "account.mispaid": "错付",
    "account.cage": "账房",
    "account.unexplained": "清点差额",
    "chips_of": "{who}的筹码",
    "busy.rounds": "同时读取的牌局太多，请{seconds}秒后再试。",
    "event.options_given_to_others": "玩家选择是否继续。",
    "unknown_round.at_table": "{table}没有第{round}局。",
}
