"""What the kubelets of the simulated machines serve: forwarded ports, and nothing else.

A port is forwarded over a websocket, as Kubernetes' clients in Python and JavaScript ask for it; kubectl asks
for SPDY, which is refused. The protocol is that of k8s.io/cri-streaming: two channels a port, for data and
for an error, each of which begins with the port's number (pkg/streaming/portforward/websocket.go).
"""

import base64
import contextlib
import hashlib
import json
import select
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

from websocket import ABNF, frame_buffer

from localcloud.credentials import Credentials

TLS = b"\x16"
"""First byte of a connection by TLS."""

CHANNELS = "v4.channel.k8s.io"
HANDSHAKE_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""RFC 6455, section 1.3."""

CHUNK_BYTES = 64 * 1024

NOTHING_ELSE = "On the laptop cloud a kubelet forwards ports by websocket, and does nothing else."
REFUSALS = {
    "containerLogs": "Pods run nothing on the laptop cloud, so there are no logs: see `kubectl describe pod` "
    "for its events.",
    "exec": "Pods run nothing on the laptop cloud, so no command runs in one: see `kubectl describe pod`.",
    "portForward": "On the laptop cloud ports are forwarded by websocket only, not as kubectl asks for it: "
    "use a client for Python or JavaScript, to a pod in whose place a program runs (localcloud.yaml).",
}
"""First part of a request's path -> what is not there, and what to do."""

Find = Callable[[str, str, int], int]
"""Namespace, pod and port -> port of 127.0.0.1. Raises OSError, which says why there is none."""


def tls_context(credentials: Credentials) -> ssl.SSLContext:
    """Of a server that only the control plane's own programs get into."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*credentials.serving)
    context.load_verify_locations(credentials.authority)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


class Kubelet(BaseHTTPRequestHandler):
    """Serves the API server's requests of `/portForward/<namespace>/<pod>?port=`."""

    protocol_version = "HTTP/1.1"
    find: Find

    def do_GET(self) -> None:
        """Forward ports to what runs in place of a pod."""
        url = urlsplit(self.path)
        match url.path.split("/"):
            case ["", "portForward", namespace, pod] if asks_for_channels(self):
                ports = [int(port) for port in parse_qs(url.query).get("port", [])]
                forward(self, f"{namespace}/{pod}", ports, lambda port: self.find(namespace, pod, port))
            case ["", verb, *_]:
                self._refuse(verb)

    do_POST = do_GET

    def _refuse(self, verb: str) -> None:
        """Say what is not there, in text that kubectl repeats: that of an HTML page it would not."""
        text = REFUSALS.get(verb, NOTHING_ELSE)
        status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": text, "code": 400}
        # Text for who streams, an object for who asks to upgrade: so the API server passes them on.
        body = (text if verb == "containerLogs" else json.dumps(status)).encode()
        self.send_response(400)
        self.send_header("Content-Type", "text/plain" if verb == "containerLogs" else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: errors go to who asked."""


def asks_for_channels(request: BaseHTTPRequestHandler) -> bool:
    """Whether a request is one for a websocket with channels."""
    protocols = request.headers.get("Sec-WebSocket-Protocol", "").split(",")
    return CHANNELS in (protocol.strip() for protocol in protocols)


def forward(
    request: BaseHTTPRequestHandler, pod: str, ports: Sequence[int], find: Callable[[int], int]
) -> None:
    """Make a websocket of a request, and forward ports over it until one side ends.

    find: port of the pod -> port of 127.0.0.1; its OSError goes to the client.
    """
    _upgrade(request)
    request.close_connection = True
    client = request.connection
    for number, port in enumerate(ports):
        for channel in (2 * number, 2 * number + 1):
            _send(client, channel, port.to_bytes(2, "little"))
    with contextlib.ExitStack() as stack:
        targets = {}
        for number, port in enumerate(ports):
            try:
                target = socket.create_connection(("127.0.0.1", find(port)))
            except OSError as error:
                _send(client, 2 * number + 1, f"error forwarding port {port} to pod {pod}: {error}".encode())
            else:
                targets[2 * number] = stack.enter_context(target)
        with contextlib.suppress(OSError):
            _relay(client, targets)
            client.sendall(_frame(ABNF.OPCODE_CLOSE, (1000).to_bytes(2, "big")))


def _upgrade(request: BaseHTTPRequestHandler) -> None:
    key = request.headers["Sec-WebSocket-Key"] + HANDSHAKE_GUID
    request.send_response(101)
    request.send_header("Upgrade", "websocket")
    request.send_header("Connection", "Upgrade")
    request.send_header("Sec-WebSocket-Protocol", CHANNELS)
    request.send_header(
        "Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    )
    request.end_headers()


def _relay(client: socket.socket, targets: dict[int, socket.socket]) -> None:
    """Pass on what comes, until the client or all of the targets have ended. targets: by channel."""
    frames = _frames(client)
    while targets:
        for source in _readable(client, *targets.values()):
            if source is not client:
                channel = next(number for number, target in targets.items() if target is source)
                if data := source.recv(CHUNK_BYTES):
                    _send(client, channel, data)
                else:
                    del targets[channel]
                continue
            opcode, data = next(frames)
            if opcode == ABNF.OPCODE_CLOSE:
                return
            if opcode == ABNF.OPCODE_PING:
                client.sendall(_frame(ABNF.OPCODE_PONG, data))
            elif opcode == ABNF.OPCODE_BINARY and data[0] in targets:
                targets[data[0]].sendall(data[1:])


def _readable(client: socket.socket, *targets: socket.socket) -> Sequence[socket.socket]:
    """Those with something to read. What TLS has decrypted already is not seen in the socket."""
    if isinstance(client, ssl.SSLSocket) and client.pending():
        return [client]
    return select.select([client, *targets], [], [])[0]


def _frames(client: socket.socket) -> Iterator[tuple[int, bytes]]:
    """Opcode and data of each frame that a client sends."""

    def receive(count: int) -> bytes:
        data = client.recv(count)
        if not data:
            raise ConnectionError("the client has ended")
        return data

    buffer = frame_buffer(receive, True)
    while True:
        frame = buffer.recv_frame()
        assert isinstance(frame.data, bytes), "what is received is no text yet"
        yield frame.opcode, frame.data


def _send(client: socket.socket, channel: int, data: bytes) -> None:
    client.sendall(_frame(ABNF.OPCODE_BINARY, bytes([channel]) + data))


def _frame(opcode: int, data: bytes) -> bytes:
    """A frame of a server's: without a mask."""
    return bytes(ABNF(1, 0, 0, 0, opcode, 0, data).format())
