"""What one can see go wrong at a table, the facts that matter, and the command that reports them.

The guide and the referee share this room. It is pure: everything follows from a :class:`~.felt.TableInTrouble` (a
book, a table, and whether its shoe is sealed) and from facts, which are plain texts by name, as in the query of a page.

* :func:`.tiles.tiles` lists the tiles in the order of docs/irregularities.md. ``Tile.why_not`` is None if a tile is
  possible now, else the refusal or the phrase that says why not.
* :func:`.facts.questions` are the questions of a tile, with answers filled in from the table and from the facts.
  A question appears only when the facts before it make it matter, so ask again whenever a fact changes.
* :func:`.facts.build` is the command as a client sends it, or :class:`.facts.Missing` with the questions that have no
  answer yet.
* :func:`.words.show_tiles` and :func:`.words.show_questions` say all of it in the reader's language. Render them with
  :class:`.words.TilesPiece` and :class:`.words.QuestionsPiece`; the style sheet is ``trouble.css``.

::

    felt = TableInTrouble(book, table, sealed=setup.shoes is not ShoeKind.MANUAL)
    built = build(felt, TileName.EXCESS, {"cards": "5h.?", "to": "player"})
    # {"command": "report_excess_card.1", "cards": ["5h", None], "to": "player"}

An answer is one text. Lists have dots between: cards ``5h.4c.?`` (ranks alone where the table asks for no suit, ``?``
for a card nobody has seen) and places ``6.5``. A choice is the key of a pick. A bet is ``1:banker:ann`` (box, bet,
person), several are one to a line; amounts by person are ``25 ann``, one to a line; an amount is ``12.50``. What
cannot be read counts as no answer and is in ``Missing.unreadable``.

A page puts the questions into ``<form data-facts>``. ``static/trouble/facts.js`` keeps an input for each fact up to
date while people tap and type, and the form emits ``change``: its ``FormData`` are the facts, without those that the
table fills in. The page asks again, and replaces the questions (by idiomorph, so that the focus stays). Keys go to the
question with the focus, else to the first one without an answer; arrows go from question to question. A pick with a
``form`` is a button ``[data-form]`` that names a dialog of the console.
"""
