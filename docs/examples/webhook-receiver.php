<?php
// A webhook receiver in plain PHP (8.0 or newer), to copy: checks the signature on the raw bytes, in
// constant time, refuses old timestamps, drops repeats.
// Run: WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:9099 docs/examples/webhook-receiver.php
declare(strict_types=1);

const TOLERANCE_S = 300;

/** The key is the whole secret, with `whsec_` where it has that; what is signed is `{timestamp}.{raw body}`. */
function is_ours(string $timestamp, array $signatures, string $body, string $secret): bool
{
    if (preg_match('/\A\d{1,12}\z/', $timestamp) !== 1) return false;
    if (abs(time() - (int) $timestamp) > TOLERANCE_S) return false;
    $expected = hash_hmac('sha256', "$timestamp.$body", $secret);
    foreach ($signatures as $signature) {
        if (hash_equals($expected, $signature)) return true;
    }
    return false;
}

/** In a real shop: a unique column in your database, written in the transaction that does the work. */
function seen_as(string $id): string
{
    $directory = sys_get_temp_dir() . '/pirogue-events';
    if (!is_dir($directory)) @mkdir($directory, 0700);
    return $directory . '/' . hash('sha256', $id);
}

/** In a real shop: what the event changes there. Events differ, and new keys may come. */
function work(string $event, array $data): void
{
    if (!isset($data['reference'])) {
        say($event);
        return;
    }
    [$status, $version] = [$data['status'] ?? '', $data['version'] ?? ''];
    $money = ($data['amount'] ?? '') . ' ' . ($data['currency'] ?? '');
    say("$event  {$data['reference']}  $status  $money  version $version");
}

/** Not to `php://stdout`: under CGI that is the answer, whose status could then no longer be set. */
function say(string $line): void
{
    file_put_contents('php://stderr', $line . "\n");
}

$secret = getenv('WEBHOOK_SECRET');
if ($secret === false || strlen($secret) < 32) {
    say('Set WEBHOOK_SECRET to the signing_secret of your webhook (whsec_…, or your own).');
    http_response_code(500);
    return;
}
if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
    http_response_code(400);
    return;
}
// The raw bytes, before any JSON parser: PHP names each header HTTP_… in capitals.
$body = file_get_contents('php://input');
$timestamp = $_SERVER['HTTP_X_WEBHOOK_TIMESTAMP'] ?? '';
// While a secret is replaced, the second is by the new one.
$signatures = [$_SERVER['HTTP_X_WEBHOOK_SIGNATURE'] ?? '', $_SERVER['HTTP_X_WEBHOOK_SIGNATURE_NEXT'] ?? ''];
if (!is_ours($timestamp, $signatures, $body, $secret)) {
    say('refused   the signature or the timestamp is wrong');
    http_response_code(401);
    return;
}
try {
    $event = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    if (file_exists(seen_as($event['id']))) {
        say("again     {$event['id']}");
    } else {
        work($event['event'], $event['data']);
        // Not before: what failed comes again, and is done then.
        touch(seen_as($event['id']));
    }
} catch (Throwable $error) {
    // PHP itself would answer 200 where it displays errors.
    say("failed    {$error->getMessage()}");
    http_response_code(500);
    return;
}
// Answer 2xx within 15 seconds; do slow work afterwards.
http_response_code(204);
