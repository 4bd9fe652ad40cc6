// What the texts that we keep have in common: the packing leaves it out of each. A dictionary that
// a row was ever packed with is never changed, not by a letter (a test holds its hash): a better
// one gets the next number, is read by one release, and written by the one after it
// (docs/decisions/0080). Only names and values of our own schemas: nothing of anybody's.

/**
 * Events and answers as of November 2026. What is most common stands last, where it costs least to
 * point at.
 */
const first = [
  '{"event_id":"","id":"SIM","reference":"","status":"SUCCESSFUL","amount":"","currency":"XAF"}',
  '"settlement":"wallet_transfer":"from_amount":"to_amount":"from_currency":"to_currency":',
  '"exchange_rate_applied":"gateway_reference":"","failure_reason":"","payment_method_type":"',
  '"bank_name":"account_number":"account_holder":"requested_amount":"platform_fee":"gateway_fee":',
  '"from_country":"to_country":"fee_amount":"fee_percent_applied":"approved_at":"completed_at":',
  '"rejection_reason":"","lapses_at":"processed_at":"updated_at":"2026-11-2T',
  '"transaction":"refund":"reason":"receiver_msisdn":"refunded_',
  'amount":"0.00","refundable_amount":"',
  '"refund_status":"NONE"PARTIAL"FULL","returned_amount":"0.00"',
  ',"returned_at":null,"incident":null,',
  '"approval":null,"waiting_reason":null,"REQUIRED","GATEWAY_CLOSED","NO_ROUTE","ip_address":"',
  '"merchant":"customer":"country_code":"network_code":"pricing_rule":"current_gateway":"',
  '"slug":"","url":"https://","return_url":"","description":"",',
  '"customer_name":"","customer_email":"',
  '"","customer_phone":"+","expires_at":"","paid_at":null,"created_at":"2026-',
  'T00:00:00.000Z",',
  '"environment":"SANDBOX"LIVE","kind":"BUSINESS_REGISTRATION","message":"","code":"',
  'insufficient_balance"retryable":true,"transaction":"gateway_unavailable","no_route_available"',
  '"GATEWAY_UNAVAILABLE","INSUFFICIENT_FUNDS","PAYER_NOT_FOUND","REJECTED_BY_PAYER","TIMEOUT",',
  '"REJECTED_BY_MERCHANT","CANCELLED_BY_MERCHANT","NOT_APPROVED","EXPIRED","LIMIT_EXCEEDED",',
  '"Paiement lancé.","Approuvez le paiement sur le téléphone.","Payout initiated.",',
  '"Open the payment page.","ENTER_OTP","REDIRECT","NONE","otp_required":true,"checkout_url":"http',
  '+233+234+254+228+226+223+241+237+224+225+221+229',
  'orange_ci"orange_sn"wave_ci"wave_sn"moov_bj"',
  'mtn_ci"mtn_cm"orange_cm"moov_ci"free_sn"tmoney_tg"moov_tg"airtel_ga"mtn_bj"CI"SN"TG"CM"GA"BJ"',
  '"XAF"GNF"GHS"NGN"USD"EUR","DEDUCTED","RETRAIT","RECHARGE","TRANSFERT","OUTBOUND","FAILED","',
  '{"message":"Payment initiated.","id":"","reference":"TXN-202611","status":"PENDING",',
  '"checkout_url":"","instructions":"Approve the payment on the phone.","otp_required":false,',
  '"next_action":"APPROVE_ON_PHONE","failure_code":"","amounts":{"requested":"10000.00",',
  '"fee":"325.00","charged":"10325.00","net":"10000.00","currency":"XOF",',
  '"fee_charge_mode":"ADD_ON","exchange_rate":null,"original_amount":null,',
  '"original_currency":null},"warning":null}',
  '{"id":"","reference":"TXN-20261123-","type":"PAIEMENT","flow_direction":"INBOUND",',
  '"status":"PENDING","amount":"5000.00","fee":"175.00","charge',
  'd":"1000.00","net_amount":"2000.00",',
  '"fee_charge_mode":"ADD_ON","currency":"XOF","country":"BJ","network":"mtn_bj","msisdn":"+22901',
  '","metadata":{},"merchant_reference":"","checkout_session":null,"payment_link":null,',
  '"failure_code":"","failure_message":"","external_reference":"","version":1}',
  '"status":"SUCCESS","metadata":{"order":"order-"},"external_reference":"SIM","version":2}',
].join('')

/** By the number that a packed text begins with. */
export const dictionaries: ReadonlyMap<number, Buffer> = new Map([[1, Buffer.from(first)]])

/** The one that is written with. */
export const current_dictionary = 1
