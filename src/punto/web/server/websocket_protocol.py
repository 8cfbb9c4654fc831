"""uvicorn's sockets, with one thing more: who does not read is told so without waiting for him."""

import socket
from asyncio import BaseTransport
from typing import Any

from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

UNREAD_LINGER_S = 5.0
"""So long a client that does not read has to find out, before the line is cut."""
MOST_UNREAD = 128 * 1024
"""So many bytes the system keeps for who does not read; beyond them he is found out."""


class SocketProtocol(WebSocketsSansIOProtocol):
    """A close goes out behind whatever is still unread, and the line does not outlive it for long."""

    def connection_made(self, transport: BaseTransport) -> None:
        """A new line."""
        super().connection_made(transport)
        line = transport.get_extra_info("socket")
        if line is not None:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST_UNREAD)

    async def send(self, message: Any) -> None:
        """As uvicorn does, but for text, and for the close of a socket that cannot be written to."""
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
            if self.read_paused:  # he says when he has read it
                self.read_paused = False
                self.transport.resume_reading()
            self.close_timer = self.loop.call_later(UNREAD_LINGER_S, self.transport.abort)
            return
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            self.handshake_complete = True  # refused; uvicorn takes it for forgotten, and logs that

    async def run_asgi(self) -> None:
        """Whatever is unread when all is said does not keep the line open for ever."""
        await super().run_asgi()
        self._cut_soon()

    def keepalive_timeout(self) -> None:
        """A line on which nobody answers any more."""
        super().keepalive_timeout()
        self._cut_soon()

    def handle_close(self, event: Frame) -> None:
        """The client has enough."""
        super().handle_close(event)
        if self.transport.is_closing():
            self._cut_soon()

    def shutdown(self) -> None:
        """The server stops, and does not wait for who does not read."""
        super().shutdown()
        if not self.writable.is_set():
            self.transport.abort()

    def _cut_soon(self) -> None:
        self.loop.call_later(UNREAD_LINGER_S, self.transport.abort)


def text_frame(text: bytes) -> bytes:
    """A whole message. By hand, for there are many: no extension is in use, and a server masks nothing."""
    length = len(text)
    if length < 126:
        return bytes((0x81, length)) + text
    if length < 65_536:
        return b"\x81\x7e" + length.to_bytes(2, "big") + text
    return b"\x81\x7f" + length.to_bytes(8, "big") + text
