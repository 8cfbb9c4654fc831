"""The course of a round for people: what the console says and does at each moment, with its keys and questions.

Everything here is pure and says what it says by keys of the catalogue. Pages, the guide, the referee and programs put
it into words. What is going on comes from :mod:`punto.table.situation`.
"""
