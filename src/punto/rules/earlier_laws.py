"""The hashes that earlier releases gave to laws that have not changed since.

When the way a law is hashed changes, tables opened before it must go on. Releases 0.3.0 to 0.5.0 hashed every clause
that a topic cites. Release 0.6.0 counted the topic of forgone insurance among those that switch
a rule, and not that of standing players.
"""

EARLIER_HASHES: dict[str, frozenset[str]] = {
    # commission
    "a03d49f2ee836645ee03a46ce31d7e919b7d32688618e8fdc5676b2fa0348ebd": frozenset(
        {"bf34b8e79a395bff40b059e3608f06d560b6d55d25a6ac997a31160de0b72ebf"}
    ),
    # commission-insurance
    "3efbce5bf078e636b160a12cb6ec68aaa39c2db4cb72a57e3e162beb32a2baea": frozenset(
        {
            "710ba213bb366f54007c8f83953debfac1450b4a74d24d2ddf4349735a2a18ba",
            "e1a04bf99cdcb767c3b6f48aa3e74896485cfb093c3bf4f5b920183e1df66c2e",
        }
    ),
    # super-six-plus
    "7f10552c1a6869e67d68c58825526067a4239e5b85260ee82d90c1cd5e3ebf3c": frozenset(
        {
            "27129840c7908edb89571f4838e4452fea8dc1aebbb8b911903272a25eea6fb3",
            "c9871f0a4546df87d82f2469c27dad567820fa777a310da95273c7db4db5ca4b",
        }
    ),
    # da-hu-ying-xiong
    "c365688ad4129798bff0ca592ec4d7a6d920a1ef2c2b57d2f88a519a9c2df6b5": frozenset(
        {
            "43c2cac5a65a6cfe483133164b5eb3015cf183383b00c52c37644090c75f01d0",
            "2285e2893aab4082fee77a396a92e17a301021b578f8a1eca485b9fe8d733dfa",
        }
    ),
    # tiger-buffalo
    "e5ccf9e9a99f94ca43c11b1433e3c11a8650b2e2955582eb88d4a836b81f178a": frozenset(
        {
            "1570c3d4e01c6f2d106594a013dc510b0ac27df04b6d65f6f3bc6cef15ca757f",
            "7d516a37583c7651b4ab2dcf4ffb5803295d82717f54ef0637c1ccfd6599c760",
        }
    ),
}
"""By today's hash, so a book that somebody changes has no earlier hashes."""
