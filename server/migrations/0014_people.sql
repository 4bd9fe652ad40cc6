-- People who sign in: members of merchants and the platform's staff, their sessions and second
-- factors; memberships and invitations; who did what (audit); mail that waits to be sent.
-- Locks: `merchants`, `api_keys` and `payout_methods` gain columns with constant defaults (a moment
-- each, nothing is rewritten).
-- Every secret here is a hash (tokens, passwords, recovery codes) or sealed under SECRET_KEY
-- (TOTP secrets, the content of mails): a copy of the database opens nothing.

create table people (
  id uuid primary key,
  -- Members and staff are apart: the same e-mail may be both, and neither opens the other's door.
  kind text not null check (kind in ('MEMBER', 'STAFF')),
  email text not null check (email = lower(email) and email like '_%@_%'),
  first_name text not null default '',
  last_name text not null default '',
  phone text not null default '',
  locale text not null default 'en' check (locale in ('en', 'fr')),
  -- argon2id in its own text form; null until the person has chosen one.
  password_hash text,
  password_changed_at timestamptz(3),
  email_verified_at timestamptz(3),
  sealed_totp bytea,
  totp_enrolled_at timestamptz(3),
  -- The last 30-second step whose code was taken: a code works once.
  totp_last_step bigint not null default 0,
  staff_role text check (staff_role in ('SUPPORT', 'OPERATIONS', 'FINANCE', 'SUPERADMIN')),
  -- The embedded demo's administrator: no second factor, and nothing of LIVE (decisions 3.3).
  is_demo boolean not null default false,
  disabled_at timestamptz(3),
  last_login_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (kind, email),
  check ((kind = 'STAFF') = (staff_role is not null)),
  check (totp_enrolled_at is null or sealed_totp is not null)
);

create table recovery_codes (
  person_id uuid not null references people (id),
  hash bytea not null check (length(hash) = 32),
  used_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (person_id, hash)
);

-- Keyed by the hash of its token, as API keys are: it arrives without a person.
create table sessions (
  hash bytea primary key check (length(hash) = 32),
  id uuid not null unique,
  person_id uuid not null references people (id),
  ip text not null,
  user_agent text not null default '',
  -- Sliding: 12 hours after the last use; never beyond `ends_at` (decisions 3.3).
  last_seen_at timestamptz(3) not null default now(),
  ends_at timestamptz(3) not null,
  ended_at timestamptz(3),
  -- When a code of the second factor was last given in this session.
  totp_at timestamptz(3),
  created_at timestamptz(3) not null default now()
) with (fillfactor = 70);
create index sessions_by_person on sessions (person_id, created_at);

create table person_tokens (
  hash bytea primary key check (length(hash) = 32),
  person_id uuid not null references people (id),
  purpose text not null check (purpose in ('VERIFY_EMAIL', 'RESET_PASSWORD')),
  -- A token for an address is worth nothing once the person has another.
  email text not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  created_at timestamptz(3) not null default now()
);
create index person_tokens_by_person on person_tokens (person_id, purpose);

-- How often an act was tried: sign-ins, registrations, codes. The target is a MAC, never a name.
create unlogged table throttle_windows (
  target bytea primary key,
  started_at timestamptz(0) not null,
  used int not null
) with (fillfactor = 50);
create index throttle_windows_by_age on throttle_windows (started_at);

create table memberships (
  merchant_id uuid not null references merchants (id),
  person_id uuid not null references people (id),
  role text not null check (role in ('OWNER', 'ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER')),
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (merchant_id, person_id)
);
create index memberships_by_person on memberships (person_id, created_at);

-- The invitation's token carries the merchant, so that it is found without a key over all of them.
create table invitations (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  email text not null check (email = lower(email)),
  role text not null check (role in ('OWNER', 'ADMIN', 'DEVELOPER', 'FINANCE', 'VIEWER')),
  token_hash bytea not null check (length(token_hash) = 32),
  invited_by uuid not null,
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id),
  unique (merchant_id, token_hash)
);
create unique index invitations_open on invitations (merchant_id, email)
  where accepted_at is null and revoked_at is null;

alter table merchants
  add column country text check (country ~ '^[A-Z]{2}$'),
  add column approved_at timestamptz(3),
  add column kyc_status text not null default 'NONE'
    check (kyc_status in ('NONE', 'PENDING', 'APPROVED', 'REJECTED')),
  add column kyc_note text not null default '',
  -- Null: every country that we serve.
  add column allowed_countries text[],
  add column notification_emails text[] not null default '{}',
  add column brand_name text not null default '',
  add column brand_colour text not null default '' check (brand_colour ~ '^(#[0-9a-f]{6})?$'),
  add column brand_logo_key text not null default '',
  add column brand_logo_type text not null default '',
  -- Null: the platform's own (PAYOUT_METHOD_COOLING_HOURS, in LIVE).
  add column cooling_off_hours int check (cooling_off_hours between 0 and 720);

alter table api_keys
  add column created_by_member uuid,
  add column last_used_ip text not null default '',
  -- The key that took over from this one.
  add column rotated_to uuid,
  add column deleted_at timestamptz(3);

alter table payout_methods add column created_by_member uuid;
alter table ip_whitelist add column created_by_member uuid;

create table kyc_documents (
  merchant_id uuid not null references merchants (id),
  id uuid not null,
  kind text not null check (kind in ('IDENTITY', 'BUSINESS_REGISTRATION', 'TAX', 'BANK', 'ADDRESS',
    'OTHER')),
  file_name text not null,
  content_type text not null,
  size_bytes int not null check (size_bytes > 0),
  sha256 bytea not null check (length(sha256) = 32),
  storage_key text not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'APPROVED', 'REJECTED')),
  note text not null default '',
  uploaded_by uuid not null,
  reviewed_by uuid,
  reviewed_at timestamptz(3),
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id)
);

-- Acts of people, keys and staff. What concerns no merchant stands under the house of its
-- environment. Append-only; ids and masked values only, so that a person can be erased elsewhere.
create table audit_logs (
  merchant_id uuid not null,
  id uuid not null,
  environment text check (environment in ('SANDBOX', 'LIVE')),
  actor_kind text not null check (actor_kind in ('MEMBER', 'KEY', 'STAFF', 'SYSTEM')),
  actor_id uuid,
  actor_role text not null default '',
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  target_kind text not null,
  target_id text not null,
  ip text not null default '',
  request_id text not null default '',
  before jsonb,
  after jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (merchant_id, id)
);
-- Staff read over all merchants, newest first.
create index audit_logs_by_id on audit_logs (id);

-- Address and content are sealed; the row goes when the mail has gone.
create table mail_outbox (
  id uuid primary key,
  sealed bytea not null,
  tries int not null default 0,
  due_at timestamptz(3) not null default now(),
  leased_until timestamptz(3),
  last_error text not null default '',
  created_at timestamptz(3) not null default now()
);
create index mail_outbox_due on mail_outbox (due_at);

grant select, insert, update on people, recovery_codes, sessions, person_tokens,
  throttle_windows, memberships, invitations, kyc_documents, mail_outbox to pirogue_app;
grant select, insert on audit_logs to pirogue_app;
grant delete on recovery_codes, sessions, person_tokens, throttle_windows, memberships,
  invitations, mail_outbox, payout_methods to pirogue_app;
