export default {
  create: {
    title: 'Create company',
    intro: 'You become its owner. Members, roles and data of your other companies stay apart from it.',
    name: 'Company name',
    taxId: 'Tax ID',
    taxIdHint: 'The number the company is registered under for taxes.',
    submit: 'Create company',
    nameMissing: 'Enter the name of the company.',
    taxIdMissing: 'Enter the tax ID of the company.',
    created: '{company} was created',
  },
  deleted: {
    title: 'Deleted companies',
    intro: 'An owner can restore a company for 30 days. After that, it’s permanently deleted.',
    empty: 'No deleted companies',
    emptyMessage: 'Companies that you can still restore as an owner appear here.',
    name: 'Company',
    since: 'Deleted',
    until: 'Can be restored until',
    left: '{day} ({ago})',
    restore: 'Restore',
    restoreTitle: 'Restore {company}?',
    restoreIntro: 'Its members get their access back at once. A pending ownership transfer isn’t restored.',
    restoreAction: 'Restore company',
    restored: '{company} was restored',
  },
  suspended: {
    title: '{company} is suspended',
    message:
      'The operator of this service has suspended the company: until that ends, nobody can open it. All of its data is kept.',
    next: 'Contact support to find out why. You don’t need to do anything else; you can also leave the company.',
    leave: 'Leave company',
    check: 'Check again',
    still: 'The company is still suspended',
  },
  unopened: {
    title: '{company} added you',
    message:
      'Anyone can give a company this name. The email about it says who added you: open the company only if you know them.',
    next: 'Until you open it, the company sees only your name and email address. Once you do, it also sees your phone number, position and picture, whether you sign in as its policy asks, and when and from which network you were last signed in.',
    creator:
      'It created your account. Until you choose a new password by “Forgot your password?”, it sees whether you have a second factor, and its administrators may be able to set your password and remove your second factors. Once you open it, they may again, and it also sees your phone number, position and picture, whether you sign in as its policy asks, and when and from which network you were last signed in.',
    open: 'Open company',
    leave: 'Leave company',
  },
} as const
