"""uvicorn's WebSocket protocol, except that closing a socket never waits for a client that has stopped reading."""

import socket
from asyncio import BaseTransport
from typing import Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

UNREAD_LINGER_S = 5.0
"""How long a client that has stopped reading gets to read the close frame before the connection is cut."""
MAX_UNREAD_BYTES = 128 * 1024
"""Size of the send buffer. A client with more unread bytes than this has stopped reading."""


class SocketProtocol(WebSocketsSansIOProtocol):
    """Sends a close frame after whatever is still unread, and cuts the connection soon after."""

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
            self.transport.write(text_frame(message["text"].encode()))
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


def text_frame(text: bytes) -> bytes:
    """A whole message as one unmasked frame without extensions. Faster than the library's general code."""
    length = len(text)
    if length < 126:
        return bytes((0x81, length)) + text
    if length < 65_536:
        return b"\x81\x7e" + length.to_bytes(2, "big") + text
    return b"\x81\x7f" + length.to_bytes(8, "big") + text
