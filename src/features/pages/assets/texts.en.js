import { counted } from './counting.js'

const wait = counted('en', {
  one: 'Wait # second, then try again.',
  other: 'Wait # seconds, then try again.',
})

const linkMissing = {
  heading: 'This link is incomplete',
  message:
    'Part of the link is missing, which also happens when this page is reloaded. Open the link in the email again.',
}

/** Everything that the pages say; their HTML has only the sentence for browsers without JavaScript. */
export default {
  signIn: 'Sign in',
  checking: 'Checking the link…',

  trouble: {
    tooManyRequests: (seconds) =>
      `Too many requests. ${seconds > 0 ? wait(seconds) : 'Wait a moment, then try again.'}`,
    waitIsOver: 'You can try again now.',
    noAnswer: 'We couldn’t reach the service. Check your connection, then try again.',
    failed: 'Something went wrong on our side. Try again in a moment.',
  },

  home: {
    title: 'Service address',
    heading: 'This is the service behind the product',
    intro:
      'You can’t sign in at this address. Open the app or website where you use the product, and sign in there. ' +
      'If you don’t know where that is, ask an administrator of your company.',
    forgotten: 'Forgot your password?',
    reset: 'Reset password',
    development: 'For developers',
    setting: 'Buttons in emails lead to APP_URL. Set it to the address of your front end.',
    documentation: 'API documentation',
    mailbox: 'Development mailbox',
  },

  confirmAddress: {
    title: 'Confirm your email address',
    heading: 'Confirm your email address',
    intro: 'Click the button to confirm that this email address is yours.',
    submit: 'Confirm email address',
    busy: 'Confirming…',
    confirmed: {
      heading: 'Email address confirmed',
      message: 'Sign in with this address from now on. You can close this page.',
    },
    linkMissing,
    linkInvalid: {
      heading: 'This link no longer works',
      message:
        'It was already used, has expired, or was replaced by a newer email. If you’ve already confirmed your ' +
        'address, you’re all set. If not, request a new link.',
    },
    taken: {
      heading: 'This address is already in use',
      message:
        'Another account started using this address in the meantime. Nothing has changed: your account keeps its ' +
        'current address.',
    },
  },

  newLink: {
    intro:
      'If you just signed up, enter your email address, and we’ll send you a new link. If you’re changing your ' +
      'address, sign in and request a new link there.',
    label: 'Email address',
    submit: 'Send new link',
    busy: 'Sending…',
    malformed: 'Enter an email address like ann@example.com.',
    asked: (email) => ({
      heading: 'Check your inbox',
      message:
        `If ${email} belongs to an account and isn’t confirmed yet, you’ll get an email with a new link. The link is ` +
        'valid for 24 hours and works only once. Don’t see it? Check your spam folder.',
    }),
  },

  invitation: {
    title: 'Invitation',
    heading: 'You’re invited',
    intro: 'Loading the invitation…',
    about: ({ company, inviter, email }) => `${inviter ?? 'A member'} invited ${email} to join ${company}.`,
    nameLabel: 'Your name',
    passwordLabel: 'Password',
    noAccounts: 'New accounts can’t be created here. Ask the company to add you.',
    register: {
      submit: 'Create account and join',
      busy: 'Joining…',
      nameMissing: 'Enter your name.',
      nameRefused: 'This name can’t be used. Enter another one.',
    },
    signIn: {
      intro: 'You already have an account. Sign in to accept.',
      submit: 'Sign in and accept',
      busy: 'Accepting…',
      blank: 'Enter your password.',
      wrong: 'Incorrect password.',
    },
    forgotten: 'Forgot your password?',
    afterReset: 'After that, open the invitation in your email again.',
    codeLabel: 'Code',
    code: {
      intro: 'Enter the code from your authenticator app, or one of your recovery codes.',
      submit: 'Confirm and accept',
      busy: 'Accepting…',
      blank: 'Enter a code.',
      wrong:
        'This code isn’t right, or it was used already. Wait for the next one. After several attempts, open the link again.',
    },
    decline: { submit: 'Decline invitation', busy: 'Declining…' },
    joined: (company) => ({ heading: 'Invitation accepted', message: `You’re now a member of ${company}.` }),
    declined: { heading: 'Invitation declined', message: 'You weren’t added to the company. You can close this page.' },
    elsewhere: {
      heading: 'Sign in to the app first',
      message:
        'Your account asks for one more step. Sign in where you use the product, and accept the invitation there.',
    },
    reserved: {
      heading: 'This address can’t be used yet',
      message:
        'Another account used it less than 7 days ago and can still restore it. Open the invitation in your email again later, before it expires.',
    },
    noLongerValid: {
      heading: 'This invitation is no longer valid',
      message: 'The person who sent it can’t invite you anymore. Ask for a new invitation.',
    },
    linkInvalid: {
      heading: 'This link no longer works',
      message: 'The invitation was answered, canceled, or sent again, or it has expired. Ask for a new one.',
    },
  },

  restoreAddress: {
    title: 'Restore your email address',
    heading: 'Restore your email address',
    intro:
      'The email address of your account was changed. If this wasn’t you, restore your previous address: this signs ' +
      'out every device, and we’ll email you a link to choose a new password.',
    submit: 'Restore email address',
    busy: 'Restoring…',
    restored: {
      heading: 'Email address restored',
      message:
        'Your account uses your previous address again, and every device has been signed out. Check your inbox: an ' +
        'email with a link to choose a new password is on its way.',
    },
    linkMissing,
    linkInvalid: {
      heading: 'This link no longer works',
      message:
        'It was already used, has expired, or was replaced by a newer email. If you can’t get into your account, ' +
        'contact support.',
    },
    taken: {
      heading: 'This address is already in use',
      message:
        'Another account started using your previous address in the meantime. Nothing has changed. Contact support to ' +
        'get your account back.',
    },
  },

  cancelReset: {
    title: 'Keep your second factors',
    heading: 'Keep your second factors',
    intro:
      'All passkeys, authenticator apps and recovery codes of your account are about to be removed. If you didn’t ask for this, ' +
      'cancel it. Nothing else changes.',
    submit: 'Cancel the removal',
    busy: 'Canceling…',
    cancelled: {
      heading: 'Removal canceled',
      message: 'Your second factors stay. Someone may know your password: reset it if you didn’t ask for the removal.',
      next: 'Reset password',
    },
    linkMissing,
    linkInvalid: {
      heading: 'This link no longer works',
      message:
        'The removal was canceled or carried out, or your account has another email address now. If you can’t get into your ' +
        'account, contact support.',
    },
  },

  undoFactor: {
    title: 'Undo the change',
    heading: 'Undo the change',
    intro:
      'The second factors of your account were changed. If this wasn’t you, undo it: factors added since are removed, ' +
      'every device is signed out, and we’ll email you a link to choose a new password.',
    submit: 'This wasn’t me',
    busy: 'Undoing…',
    undone: {
      heading: 'Change undone',
      message:
        'Every device has been signed out. Check your inbox: an email with a link to choose a new password is on its way.',
    },
    linkMissing,
    linkInvalid: {
      heading: 'This link no longer works',
      message:
        'It was already used, has expired, or your account has another email address now. If you can’t get into your ' +
        'account, contact support.',
    },
  },

  choosePassword: {
    title: 'Choose a new password',
    heading: 'Choose a new password',
    intro: 'It replaces your current password and signs you out on all devices.',
    label: 'New password',
    compromised: 'Someone else may have used my account',
    compromisedHint: 'Then the invitations, links and temporary passwords given out from it stop working, too.',
    submit: 'Save password',
    busy: 'Saving…',
    reveal: { label: 'Show', name: 'Show password' },
    conceal: { label: 'Hide', name: 'Hide password' },
    rules: {
      length: '8 to 128 characters',
      uppercase: 'One uppercase letter',
      lowercase: 'One lowercase letter',
      digit: 'One number',
    },
    kept: 'met',
    notKept: 'not met',
    blank: 'Enter a new password.',
    rulesNotKept: 'This password doesn’t meet all the requirements yet.',
    unchanged: 'This is already your password. Choose a different one.',
    // What the API said against it, in its own words.
    refused: (reason) => `The password ${reason}.`,
    saved: {
      heading: 'Password changed',
      message: 'You’ve been signed out on all devices. Sign in with your new password.',
    },
    linkInvalid: {
      heading: 'This link no longer works',
      // An answer can get lost after the password was saved: then the second try ends here.
      message:
        'It was already used, was replaced by a newer email, or is older than 15 minutes. If you just chose a ' +
        'password, try signing in with it.',
      next: 'Request a new link',
    },
  },

  askForLink: {
    title: 'Reset your password',
    heading: 'Reset your password',
    intro: 'Enter the email address of your account, and we’ll send you a link to choose a new password.',
    label: 'Email address',
    submit: 'Send link',
    busy: 'Sending…',
    malformed: 'Enter an email address like ann@example.com.',
    asked: (email) => ({
      heading: 'Check your inbox',
      message:
        `If there’s an account for ${email}, you’ll get an email with a link. The link is valid for 15 minutes and ` +
        'works only once. Don’t see it? Check your spam folder.',
      next: 'Use a different address',
    }),
  },
}
