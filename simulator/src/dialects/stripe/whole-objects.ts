// The operator's objects whole: what its schema requires of each, and each field that may be
// without a value. Read in https://github.com/stripe/openapi, `latest/openapi.spec3.json`, version
// 2026-09-30.endive (commit 18fa2cc768024b47789dc6fa243acd48478acac2), and in the types of its own
// client (npm `stripe` 23.1.0, 2026-10-28.endive). What is not used here has no value, as of an
// account that has nothing of it.

type Fields = Record<string, unknown>

const without = (names: string): Fields =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, null]))

const address = without('city country line1 line2 postal_code state')

const session = {
  ...without(`after_expiration allow_promotion_codes allowed_payment_method_types
    billing_address_collection client_secret collected_information consent consent_collection
    currency_conversion customer customer_account customer_creation customer_details
    customer_email discounts integration_identifier invoice invoice_creation locale
    managed_payments origin_context payment_link payment_method_collection
    payment_method_configuration_details payment_method_options permissions recovered_from
    saved_payment_method_options setup_intent shipping_address_collection shipping_cost
    submit_type subscription wallet_options`),
  automatic_tax: { enabled: false, ...without('liability provider status') },
  custom_fields: [],
  custom_text: without('after_submit shipping_address submit terms_of_service_acceptance'),
  shipping_options: [],
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
}

const payment_intent = {
  ...without(`allowed_payment_method_types application application_fee_amount
    automatic_payment_methods canceled_at cancellation_reason client_secret customer
    customer_account description excluded_payment_method_types managed_payments next_action
    on_behalf_of payment_method payment_method_configuration_details payment_method_options
    payment_record processing receipt_email review setup_future_usage shipping source
    statement_descriptor statement_descriptor_suffix transfer_group`),
  amount_capturable: 0,
  capture_method: 'automatic_async',
  confirmation_method: 'automatic',
  payment_method_types: ['card'],
}

const charge = {
  ...without(`application application_fee application_fee_amount balance_transaction
    calculated_statement_descriptor customer description failure_balance_transaction failure_code
    failure_message fraud_details on_behalf_of outcome payment_method payment_method_details
    receipt_email receipt_number receipt_url review shipping source source_transfer
    statement_descriptor statement_descriptor_suffix transfer_data transfer_group`),
  billing_details: { address, ...without('email name phone tax_id') },
  captured: true,
}

const refund = without(`balance_transaction customer customer_account payment_method
  receipt_number source_transfer_reversal transfer_reversal`)

const dispute = {
  intended_submission_method: null,
  balance_transactions: [],
  enhanced_eligibility_types: [],
  evidence: {
    ...without(`access_activity_log billing_address cancellation_policy
      cancellation_policy_disclosure cancellation_rebuttal customer_communication
      customer_email_address customer_name customer_purchase_ip customer_signature
      duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id
      product_description receipt refund_policy refund_policy_disclosure
      refund_refusal_explanation service_date service_documentation shipping_address
      shipping_carrier shipping_date shipping_documentation shipping_tracking_number
      uncategorized_file uncategorized_text`),
    enhanced_evidence: {},
  },
  evidence_details: {
    ...{ due_by: null, enhanced_eligibility: {}, has_evidence: false, past_due: false },
    ...{ submission_count: 0, submission_method: 'not_submitted' },
  },
  is_charge_refundable: false,
}

const webhook_endpoint = { ...without('api_version application description'), metadata: {} }

const kinds = {
  'checkout.session': session,
  ...{ payment_intent, charge, refund, dispute, webhook_endpoint },
} as const satisfies Record<string, Fields>

export type Kind = keyof typeof kinds

/** With everything else that it has, in the order of the operator's samples. */
export function whole(object: Kind, { id, ...used }: Fields): Fields {
  const all = Object.entries({ ...kinds[object], ...used })
  return { id, object, ...Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1))) }
}
