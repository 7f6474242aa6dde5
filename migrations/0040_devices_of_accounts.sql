-- expand: an index alone. By it a sign-in finds out whether the account knows the device (new-sign-in.ts), however many sessions have ended.
create index sessions_of_account_by_device on sessions (account_id, user_agent)
  where revoked_at is null or revoked_reason in ('signed_out', 'response_lost');
