"""The Chinese sentences of the referee. Part of :mod:`punto.catalogue.zh`."""

SENTENCES = {
    # ---- what is no question
    "out_of_range.question_cards": "问题的一步最多有{most}张牌，不能是{cards}张。",
    "out_of_range.shoe_left": "牌靴可剩0至{most}张牌，不能是{left}张。",
    "bad_request.link": "此链接已损坏，其中没有问题。请重新索取，或从空桌开始。",
    "bad_request.link_long": "此链接超过{most:,}个字符，其中没有问题。",
    "bad_request.link_version": "此链接已损坏，或由较新的版本生成。请重新索取，或从空桌开始。",
}
