"""uvicorn's WebSocket protocol with limits: on unread messages, pings and fragments.

Closing a socket never waits for a client that has stopped reading, and a bad frame is logged without a traceback. Long
messages are compressed, each by itself: a socket keeps no memory for it, and no message tells of an earlier one.
"""

import socket
import zlib
from asyncio import BaseTransport
from functools import cached_property
from typing import Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import PerMessageDeflate, ServerPerMessageDeflateFactory
from websockets.frames import CloseCode, Frame

UNREAD_LINGER_S = 5.0
"""How long a client that has stopped reading gets to read the close frame before the connection is cut."""
MAX_UNREAD_BYTES = 128 * 1024
"""Size of the send buffer. A client with more unread bytes than this has stopped reading."""
MAX_CONTROL_FRAMES = 20
"""Pings and pongs at once; afterwards one a second. A client that sends more is disconnected."""
MAX_FRAGMENTS = 64
"""Parts of one message."""
LEAST_COMPRESSED_BYTES = 1_000
"""Shorter messages, such as heartbeats, are sent as they are."""
DEFLATE_LEVEL = 3
_DEFLATE = ServerPerMessageDeflateFactory(server_no_context_takeover=True, client_no_context_takeover=True)
_END_OF_BLOCK = b"\x00\x00\xff\xff"
"""The end of every compressed message, which is not sent."""


class SocketProtocol(WebSocketsSansIOProtocol):
    """Sends a close frame after whatever is still unread, and cuts the connection soon after."""

    _control_frames_left = float(MAX_CONTROL_FRAMES)
    _control_frame_at_s = 0.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn.available_extensions = [_DEFLATE]

    @cached_property
    def _window_bits(self) -> int:
        """How far back a compressed message may refer; 0: the client takes no compressed messages."""
        agreed = (each for each in self.conn.extensions if isinstance(each, PerMessageDeflate))
        return next((each.local_max_window_bits for each in agreed), 0)

    def connection_made(self, transport: BaseTransport) -> None:
        """Limit how much the system buffers for a client."""
        super().connection_made(transport)
        connection = transport.get_extra_info("socket")
        if connection is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MAX_UNREAD_BYTES)

    async def send(self, message: Any) -> None:
        """As uvicorn does, except for text messages and for closing while the client does not read."""
        if self.handshake_complete and (self.close_sent or self.transport.is_closing()):
            raise ClientDisconnected
        if message["type"] == "websocket.send" and self.handshake_complete:
            if not self.writable.is_set():
                await self.writable.wait()
                if self.close_sent or self.disconnected or self.transport.is_closing():
                    raise ClientDisconnected
            self.transport.write(self._frame(message["text"].encode()))
            return
        if message["type"] == "websocket.close" and self.handshake_complete and not self.writable.is_set():
            self.conn.send_close(message.get("code", 1000), message.get("reason", ""))
            self.close_sent = True
            self.stop_keepalive()
            self.transport.write(b"".join(self.conn.data_to_send()))
            if self.read_paused:  # to receive the answer to the close
                self.read_paused = False
                self.transport.resume_reading()
            self.close_timer = self.loop.call_later(UNREAD_LINGER_S, self.transport.abort)
            return
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # the upgrade was refused; otherwise uvicorn logs a missing handshake

    def _frame(self, text: bytes) -> bytes:
        if len(text) < LEAST_COMPRESSED_BYTES or not self._window_bits:
            return frame(_TEXT, text)
        deflate = zlib.compressobj(DEFLATE_LEVEL, zlib.DEFLATED, -self._window_bits)
        compressed = deflate.compress(text) + deflate.flush(zlib.Z_SYNC_FLUSH)
        return frame(_COMPRESSED_TEXT, compressed.removesuffix(_END_OF_BLOCK))

    def data_received(self, data: bytes) -> None:
        """As uvicorn does, except for a handshake that the library refuses, which uvicorn leaves open for ever."""
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.transport.close()

    def handle_ping(self) -> None:
        if self._may_send_control_frame():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._may_send_control_frame():
            super().handle_pong(event)

    def _may_send_control_frame(self) -> bool:
        """Count a ping or pong. Fail the connection if there are too many."""
        if self.close_sent:
            return False
        now_s = self.loop.time()
        refilled = self._control_frames_left + now_s - self._control_frame_at_s
        self._control_frames_left, self._control_frame_at_s = min(MAX_CONTROL_FRAMES, refilled) - 1, now_s
        if self._control_frames_left < 0:
            self._fail(CloseCode.POLICY_VIOLATION, "too many pings")
            return False
        return True

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) < MAX_FRAGMENTS:
            super().handle_cont(event)
        elif not self.close_sent:
            self._fail(CloseCode.POLICY_VIOLATION, "too many fragments")

    def send_receive_event_to_app(self) -> None:
        """As uvicorn does, without a traceback in the log if a text is not UTF-8."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self._fail(CloseCode.INVALID_DATA, "not UTF-8")
                return
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """Close after a bad frame. Before the handshake is complete, there is no close frame to send."""
        if self.conn.close_sent is None:
            self.transport.abort()
        else:
            super().handle_parser_exception()
            self._cut_soon()

    def _fail(self, code: CloseCode, reason: str) -> None:
        if not self.close_sent:
            self.conn.fail(code, reason)
            self.handle_parser_exception()

    async def run_asgi(self) -> None:
        """Cut the connection soon after the application has ended, even if something is unread."""
        await super().run_asgi()
        self._cut_soon()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._cut_soon()

    def handle_close(self, event: Frame) -> None:
        super().handle_close(event)
        if self.transport.is_closing():
            self._cut_soon()

    def shutdown(self) -> None:
        """Stop without waiting for clients that have stopped reading."""
        super().shutdown()
        if not self.writable.is_set():
            self.transport.abort()

    def _cut_soon(self) -> None:
        self.loop.call_later(UNREAD_LINGER_S, self.transport.abort)


_TEXT, _COMPRESSED_TEXT = b"\x81", b"\xc1"


def frame(kind: bytes, content: bytes) -> bytes:
    """A whole message as one unmasked frame. Faster than the library's general code."""
    length = len(content)
    if length < 126:
        return kind + bytes((length,)) + content
    if length < 65_536:
        return kind + b"\x7e" + length.to_bytes(2, "big") + content
    return kind + b"\x7f" + length.to_bytes(8, "big") + content
