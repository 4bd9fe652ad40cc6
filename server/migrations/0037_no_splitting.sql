-- A payout that is split into small ones needs a second person as the whole of it would: what goes
-- to one phone within 24 hours without anybody's approval is looked at together.
-- Locks: none, the function is new; the older version does not call it.
--
-- It is a function because it must see what was committed while its statement waited for the
-- balance's lock: a query inside a volatile function reads with a snapshot of its own (PostgreSQL
-- documentation, "Function Volatility Categories"), the statement around it with the one that it
-- began with. So of many at once none passes. It reads by `transactions_paid_out`.
create function insist_unapproved_at_most(
  of_merchant uuid, of_environment text, to_msisdn text, amount bigint, most bigint)
returns boolean language plpgsql volatile set search_path from current as $$
declare
  already numeric;
begin
  select coalesce(sum(t.debited_amount), 0) into already
    from transactions t
   where t.merchant_id = of_merchant and t.environment = of_environment
     and t.operation_msisdn = to_msisdn and t.transaction_type = 'RETRAIT'
     and t.created_at > now() - interval '24 hours' and t.status <> 'FAILED'
     and not exists (select 1 from payout_approvals p
                      where p.merchant_id = t.merchant_id and p.transaction_id = t.id);
  if already + amount > most then
    raise exception 'more than % without an approval', most
      using errcode = 'check_violation', constraint = 'payouts_unapproved_at_most';
  end if;
  return true;
end
$$;
revoke execute on function insist_unapproved_at_most(uuid, text, text, bigint, bigint) from public;
grant execute on function insist_unapproved_at_most(uuid, text, text, bigint, bigint)
  to pirogue_app;
