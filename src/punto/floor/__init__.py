"""Tables that live: a journal that loses nothing, a runtime, recovery, shoes, staff, audit."""
