-- Which of several routes of a network is tried first, by direction: by their priorities, by what
-- each costs for the amount, or by how many payments succeed on each.
alter table networks
  add column collect_routing text not null default 'PRIORITY',
  add column disburse_routing text not null default 'PRIORITY',
  add constraint networks_collect_routing_check
    check (collect_routing in ('PRIORITY', 'COST', 'SUCCESS')),
  add constraint networks_disburse_routing_check
    check (disburse_routing in ('PRIORITY', 'COST', 'SUCCESS'));

-- The share of payments that succeed on a route with four chances in five at least, in millionths,
-- at the last look; null where nobody has looked since this column was added.
alter table route_health
  add column least_share_ppm integer,
  add constraint route_health_least_share_ppm_check
    check (least_share_ppm between 0 and 1000000);
