<?php
// Takes a payment in plain PHP (8.0 or newer, with its curl extension), to copy: starts it under a
// key of its own, sends the same call again while nobody answers, then asks how it ended.
// Run: API=… KEY=sk_test_… php docs/examples/take-payment.php ORDER-1043 5000 +2290197000010
declare(strict_types=1);

const TRIES = 6;
const ANSWER_MAX_S = 60;
const WAIT_MAX_S = 900;

/** One request; null when no answer of ours came, which says nothing about the payment. */
function send(string $method, string $path, ?array $body, array $headers): ?array
{
    $after_s = null;
    $request = curl_init(getenv('API') . $path);
    curl_setopt_array($request, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => [
            'Authorization: Bearer ' . getenv('KEY'),
            'Content-Type: application/json',
            ...$headers,
        ],
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => ANSWER_MAX_S,
        CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$after_s): int {
            if (preg_match('/\Aretry-after: *(\d+)/i', $line, $found) === 1) {
                $after_s = (int) $found[1];
            }
            return strlen($line);
        },
    ]);
    if ($body !== null) curl_setopt($request, CURLOPT_POSTFIELDS, json_encode($body));
    $text = curl_exec($request);
    $answer = is_string($text) ? json_decode($text, true) : null;
    return is_bool($answer['success'] ?? null) ? $answer + ['after_s' => $after_s] : null;
}

/** The very same call, body and headers, until it is answered for good. */
function call(string $method, string $path, ?array $body = null, array $headers = []): array
{
    for ($nth = 1; ; $nth += 1) {
        $answer = send($method, $path, $body, $headers);
        if ($answer !== null && $answer['success']) return $answer['data'];
        $is_over = $answer !== null && $answer['code'] < 500 && $answer['code'] !== 408
            && !($answer['error']['retryable'] ?? false);
        if ($is_over || $nth === TRIES) {
            // By field, or a code to decide by with a message for people.
            $error = $answer['error'] ?? 'no answer: the outcome is unknown';
            throw new RuntimeException(json_encode($error, JSON_UNESCAPED_UNICODE));
        }
        sleep($answer['after_s'] ?? 2 ** $nth);
    }
}

/** Send the payer to `checkout_url`. With REDIRECT and none yet, the operator is making it. */
function lead(array $payment): void
{
    static $page = '';
    if ($payment['checkout_url'] === '' || $payment['checkout_url'] === $page) return;
    $page = $payment['checkout_url'];
    echo "open      $page\n";
}

[, $order, $amount, $phone] = [...$argv, '', '', ''];
if (getenv('API') === false || getenv('KEY') === false || $phone === '') {
    fwrite(STDERR, "Set API and KEY, and name an order, an amount and a phone.\n");
    exit(1);
}

// In a real shop the key is stored with the order before the call: after a crash the same key is
// sent again, and the payer is asked once.
$started = call('POST', '/payments/softpay/initialize/', [
    'amount' => $amount,
    'currency' => 'XOF',
    'country' => 'BJ',
    'network' => 'mtn_bj',
    'customer' => ['phone' => $phone],
    'merchant_reference' => $order,
], ["Idempotency-Key: $order"]);
echo "started   {$started['reference']}  {$started['next_action']}  {$started['instructions']}\n";
lead($started);

// In a real shop the webhook tells the end; ask where none has come.
$until = time() + WAIT_MAX_S;
$payment = call('GET', "/payments/{$started['id']}/verify/");
while ($payment['status'] === 'PENDING' && time() < $until) {
    lead($payment);
    sleep(2);
    $payment = call('GET', "/payments/{$started['id']}/verify/");
}

// Deliver for SUCCESS alone. PENDING is no failure: start no second payment for the order.
$status = $payment['status'];
$money = "{$payment['requested_amount']} {$payment['currency']}";
echo "ended     {$payment['reference']}  $status  $money  {$payment['failure_code']}\n";
exit($status === 'SUCCESS' ? 0 : 1);
