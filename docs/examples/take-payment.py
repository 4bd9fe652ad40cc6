"""Takes a payment in plain Python (3.8 or newer), to copy: starts it under a key of its own, sends
the same call again while nobody answers, then asks how it ended.

Run: API=… KEY=sk_test_… python3 docs/examples/take-payment.py ORDER-1043 5000 +2290197000010
"""
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

API = os.environ.get("API", "")
KEY = os.environ.get("KEY", "")
TRIES = 6
ANSWER_MAX_S = 60
WAIT_MAX_S = 900


def send(method, path, body, headers):
    """One request; None when no answer of ours came, which says nothing about the payment."""
    data = None if body is None else json.dumps(body).encode()
    own = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    request = urllib.request.Request(API + path, data, {**own, **headers}, method=method)
    try:
        try:
            response = urllib.request.urlopen(request, timeout=ANSWER_MAX_S)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            answer = json.loads(response.read())
            after_s = response.headers["Retry-After"]
    except (OSError, http.client.HTTPException, ValueError):
        return None
    is_ours = isinstance(answer, dict) and isinstance(answer.get("success"), bool)
    return {**answer, "after_s": after_s} if is_ours else None


def call(method, path, body=None, headers=None):
    """The very same call, body and headers, until it is answered for good."""
    for nth in range(1, TRIES + 1):
        answer = send(method, path, body, headers or {})
        if answer is not None and answer["success"]:
            return answer["data"]
        error = answer["error"] if answer else "no answer: the outcome is unknown"
        is_over = answer and answer["code"] < 500 and answer["code"] != 408
        if nth == TRIES or (is_over and not error.get("retryable")):
            # By field, or a code to decide by with a message for people.
            sys.exit(json.dumps(error, ensure_ascii=False))
        time.sleep(int(answer and answer["after_s"] or 2**nth))


def lead(payment, page):
    """Send the payer to `checkout_url`. With REDIRECT and none yet, the operator is making it."""
    if payment["checkout_url"] not in ("", page):
        page = payment["checkout_url"]
        print(f"open      {page}", flush=True)
    return page


def take_payment(order, amount, phone):
    # In a real shop the key is stored with the order before the call: after a crash the same key is
    # sent again, and the payer is asked once.
    body = {
        "amount": amount,
        "currency": "XOF",
        "country": "BJ",
        "network": "mtn_bj",
        "customer": {"phone": phone},
        "merchant_reference": order,
    }
    started = call("POST", "/payments/softpay/initialize/", body, {"Idempotency-Key": order})
    print(f"started   {started['reference']}  {started['next_action']}  {started['instructions']}")
    page = lead(started, "")

    # In a real shop the webhook tells the end; ask where none has come.
    until = time.monotonic() + WAIT_MAX_S
    payment = call("GET", f"/payments/{started['id']}/verify/")
    while payment["status"] == "PENDING" and time.monotonic() < until:
        page = lead(payment, page)
        time.sleep(2)
        payment = call("GET", f"/payments/{started['id']}/verify/")
    return payment


if not API or not KEY or len(sys.argv) != 4:
    sys.exit("Set API and KEY, and name an order, an amount and a phone.")
ended = take_payment(*sys.argv[1:])
# Deliver for SUCCESS alone. PENDING is no failure: start no second payment for the order.
money = f"{ended['requested_amount']} {ended['currency']}"
print(f"ended     {ended['reference']}  {ended['status']}  {money}  {ended['failure_code']}")
sys.exit(0 if ended["status"] == "SUCCESS" else 1)
