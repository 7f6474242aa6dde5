export default {
  title: 'Home',
  greeting: 'Hello, {name}',
  company: 'What’s going on in {company}',
  attention: 'Needs your attention',
  nothing: { title: 'All quiet', message: 'Nothing needs your attention right now.' },
  unconfirmed: {
    title: 'Confirm your email address',
    message: 'Confirm that {email} is yours, so that we can reach you about your account.',
    action: 'Send link',
    sent: 'A link is on its way to {email}.',
  },
  pendingEmail: {
    title: 'Confirm your new email address',
    message: 'Open the link that we sent to {email}. Until then you sign in with your current address.',
    action: 'View email settings',
  },
  secondFactor: {
    title: 'Set up a second factor',
    message:
      'From {day} on, {company} can only be opened with a second factor. Add a passkey or an authenticator app by then.',
    action: 'Open security settings',
  },
  alone: {
    title: 'Invite your first member',
    message: 'You’re the only one here. Invite the people you work with, and choose what each may do.',
    action: 'Invite members',
  },
  transfer: {
    title: 'Ownership of this company is being transferred',
    message: 'From {from} to {to}. Open the settings to see it.',
    action: 'View transfer',
  },
  requests: {
    title: 'Someone asked to join',
    message:
      '{others, plural, =0 {{name} waits for a decision.} one {{name} and one more person wait for a decision.} other {{name} and # more people wait for a decision.}}',
    action: 'View join requests',
  },
  shortcuts: 'Shortcuts',
  members: {
    title: 'Members',
    message: 'Add people, choose their roles and branches.',
    view: 'See who works here, with which roles.',
  },
  roles: { title: 'Roles', message: 'Decide what each role may do.' },
  branches: { title: 'Branches', message: 'Keep your sites in one tree.' },
  audit: { title: 'Audit log', message: 'See who changed what, and prove that nothing was altered.' },
  settings: { title: 'Settings', message: 'Name, time zone, ownership.' },
  choose: { title: 'Your companies', intro: 'Choose where you want to work.', roles: 'Your roles: {roles}' },
  noCompanies: {
    title: 'You’re not in any company',
    message:
      'Create one, or ask an administrator to add {email}. If you were in one, ask whether your membership is still active.',
    action: 'Create company',
  },
} as const
