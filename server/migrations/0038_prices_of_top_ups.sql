-- Top-ups are priced by a rule of their own (decisions 8.13): a third kind of price beside payins
-- and payouts. Without one they cost nothing, as before.
-- Locks: the four tables of rules for an instant each: they are small, and read once a version. The
-- old version reads a rule of the new kind and finds no use for it.

alter table pricing_rules
  drop constraint pricing_rules_direction_check,
  add constraint pricing_rules_direction_check
    check (direction in ('COLLECT', 'DISBURSE', 'TOP_UP'));
alter table merchant_pricing_rules
  drop constraint merchant_pricing_rules_direction_check,
  add constraint merchant_pricing_rules_direction_check
    check (direction in ('COLLECT', 'DISBURSE', 'TOP_UP'));
alter table past_pricing_rules
  drop constraint past_pricing_rules_direction_check,
  add constraint past_pricing_rules_direction_check
    check (direction in ('COLLECT', 'DISBURSE', 'TOP_UP'));
alter table past_merchant_pricing_rules
  drop constraint past_merchant_pricing_rules_direction_check,
  add constraint past_merchant_pricing_rules_direction_check
    check (direction in ('COLLECT', 'DISBURSE', 'TOP_UP'));
