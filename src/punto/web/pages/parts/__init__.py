"""Parts that several pages share: hands, announcements, bets, insurance and results."""
