"""A webhook receiver in plain Python (3.8 or newer), to copy: checks the signature on the raw bytes,
in constant time, refuses old timestamps, drops repeats.

Run: WEBHOOK_SECRET=whsec_… python3 docs/examples/webhook-receiver.py
"""
import hashlib
import hmac
import json
import os
import re
import sys
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
PORT = int(os.environ.get("PORT", "9099"))
TOLERANCE_S = 300
BODY_BYTES_MAX = 1_048_576

# In a real shop: a unique column in your database, written in the transaction that does the work.
seen = set()


def is_ours(headers, body):
    """The key is the whole secret, `whsec_` included; what is signed is `{timestamp}.{raw body}`."""
    timestamp = headers.get("X-Webhook-Timestamp", "")
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None:
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_S:
        return False
    signed = timestamp.encode() + b"." + body
    expected = hmac.new(SECRET.encode(), signed, hashlib.sha256).hexdigest()
    # While a secret is replaced, the second is by the new one.
    given = (headers.get(name, "") for name in ("X-Webhook-Signature", "X-Webhook-Signature-Next"))
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)


def handle(event):
    if event["id"] in seen:
        return print(f"again     {event['id']}", flush=True)
    work(event)
    # Not before: what failed comes again, and is done then.
    seen.add(event["id"])


def work(event):
    """In a real shop: what the event changes there. Events differ, and new keys may come."""
    data = event["data"]
    if "reference" not in data:
        return print(event["event"], flush=True)
    money = f"{data.get('amount')} {data.get('currency')}"
    moved = f"{data['reference']}  {data.get('status')}  {money}  version {data.get('version')}"
    print(f"{event['event']}  {moved}", flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        if length > BODY_BYTES_MAX:
            return self.answer(400)
        body = self.rfile.read(length)
        # Verified before it is parsed: an unsigned body is nobody's word.
        if not is_ours(self.headers, body):
            print("refused   the signature or the timestamp is wrong", flush=True)
            return self.answer(401)
        try:
            handle(json.loads(body))
        except Exception:
            traceback.print_exc()
            return self.answer(500)
        # Answer 2xx within 15 seconds; do slow work afterwards.
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


if len(SECRET) < 32:
    sys.exit("Set WEBHOOK_SECRET to the signing_secret of your webhook (whsec_…, or your own).")
print(f"listening on http://127.0.0.1:{PORT}/", flush=True)
ThreadingHTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
