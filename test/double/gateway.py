"""A payment gateway that a shop wrote, as docs/shop/payments.md describes it: GATEWAY_SECRET is its secret.

Below /test are the buyers: /test/pay takes money and returns the notification, /test/returned is what was paid back,
/test/silence lets it carry out calls without an answer.
"""
import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["GATEWAY_SECRET"].removeprefix("whsec_"))
payments, refunds, state, lock = {}, {}, {"silent": False, "moneys": 0}, threading.Lock()


def signature(message_id, timestamp, body):
    digest = hmac.new(KEY, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def signed(headers, body):
    given = headers.get("webhook-signature", "").split(" ")
    want = signature(headers.get("webhook-id", ""), headers.get("webhook-timestamp", ""), body)
    return any(hmac.compare_digest(want, one) for one in given)


def payment(call):
    new = {"amount": call["amount"], "currency": call["currency"], "status": "unpaid", "returned": 0}
    return payments.setdefault(call["pay_number"], new)


def begin(call):
    payment(call)
    return {"redirect_url": "https://bank.example/" + call["pay_number"], "params": {"goods": call["goods"]}}


def query(call):
    return {k: v for k, v in payment(call).items() if k != "returned"}


def close(call):
    found = payment(call)
    if found["status"] == "unpaid":
        found["status"] = "closed"
    return {"status": found["status"]}


def refund(call):
    if call["refund_number"] not in refunds:
        refunds[call["refund_number"]] = call["amount"]
        payments[call["pay_number"]]["returned"] += call["amount"]
    return {"status": "done"}


def pay(call):
    found = payments[call["pay_number"]]
    if found["status"] == "closed":
        return {"taken": False}
    state["moneys"] += 1
    money = {"transaction_id": f"money-{state['moneys']}", "amount": call["amount"], "currency": found["currency"]}
    if found["status"] == "unpaid":
        found.update(money, status="paid")
    body = json.dumps({"type": "payment.paid", "data": {"pay_number": call["pay_number"], **money}})
    now, message_id = str(int(call["now"])), "notice-" + money["transaction_id"]
    return {"taken": True, "body": body, "headers": {
        "webhook-id": message_id, "webhook-timestamp": now,
        "webhook-signature": signature(message_id, now, body.encode())}}


def silence(call):
    state["silent"] = call["on"]
    return {}


CALLS = {"/begin": begin, "/query": query, "/close": close, "/refund": refund}
TESTS = {"/test/pay": pay, "/test/silence": silence,
         "/test/returned": lambda call: {"amount": payments[call["pay_number"]]["returned"]}}


class Gateway(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path in CALLS and not signed(self.headers, body):
            return self.answer(401, {"code": "wrong_signature"})
        with lock:
            answer = (CALLS | TESTS)[self.path](json.loads(body))
        while self.path in CALLS and state["silent"]:
            time.sleep(0.05)
        self.answer(200, answer)

    def answer(self, status, answer):
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
print(server.server_address[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
