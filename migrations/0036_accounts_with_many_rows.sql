-- expand: indexes alone, and forget_password_class does less for this version. By the first one a sign-in asks whether any account knows its network; by the second one it and operators
-- find the sessions of an account, also those that have ended.
create index known_networks_by_network on known_networks (network, last_sign_in_at);
create index sessions_of_account_by_age on sessions (account_id, created_at);
