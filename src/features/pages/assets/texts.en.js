import { counted } from './counting.js'

const wait = counted('en', {
  one: 'Wait # second, then try again.',
  other: 'Wait # seconds, then try again.',
})

/** Everything that the pages say; their HTML has only the sentence for browsers without JavaScript. */
export default {
  trouble: {
    tooManyRequests: (seconds) =>
      `Too many requests. ${seconds > 0 ? wait(seconds) : 'Wait a moment, then try again.'}`,
    waitIsOver: 'You can try again now.',
    noAnswer: 'We could not reach the service. Check your connection, then try again.',
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
    title: 'Confirm your e-mail address',
    heading: 'Confirm your address',
    intro: 'One click, and we know that this mailbox is yours.',
    submit: 'Confirm address',
    busy: 'Confirming…',
    confirmed: {
      heading: 'Address confirmed',
      message: 'Thank you. From now on you sign in with this address. You can close this page.',
    },
    linkMissing: {
      heading: 'This link is incomplete',
      message: 'Its secret part is missing, as it is after a reload of this page. Open the link in the letter again.',
    },
    linkInvalid: {
      heading: 'This link no longer works',
      message:
        'It was used already, a newer letter replaced it, or its time is over. If you have confirmed your address ' +
        'before, all is done. If not, sign in and ask for a new letter.',
    },
    taken: {
      heading: 'This address is taken',
      message:
        'In the meantime another account was opened with this address. Nothing has changed: your account keeps the ' +
        'address that it has.',
    },
  },

  choosePassword: {
    title: 'Choose a new password',
    heading: 'Choose a new password',
    intro: 'It replaces the old one, and every session of your account will be signed out.',
    label: 'New password',
    submit: 'Save password',
    busy: 'Saving…',
    reveal: { label: 'Show', name: 'Show password' },
    conceal: { label: 'Hide', name: 'Hide password' },
    rules: {
      length: '8 to 128 characters',
      uppercase: 'An uppercase letter',
      lowercase: 'A lowercase letter',
      digit: 'A digit',
    },
    kept: 'done',
    notKept: 'missing',
    blank: 'Enter a new password.',
    rulesNotKept: 'This password does not keep every rule yet.',
    unchanged: 'This is the password that you have now. Choose another one.',
    // What the API said against it, in its own words.
    refused: (reason) => `The password ${reason}.`,
    saved: {
      heading: 'Password changed',
      message:
        'All sessions of your account were signed out, on every device. You can sign in with your new password now.',
    },
    linkInvalid: {
      heading: 'This link no longer works',
      // An answer can get lost after the password was saved: then the second try ends here.
      message:
        'It was used already, a newer letter replaced it, or its 15 minutes are over. If you have just chosen a ' +
        'password, try to sign in with it.',
      next: 'Ask for a new link',
    },
  },

  askForLink: {
    title: 'Reset your password',
    heading: 'Reset your password',
    intro: 'Tell us the e-mail address of your account. We send you a link to choose a new password.',
    label: 'E-mail address',
    submit: 'Send link',
    busy: 'Sending…',
    malformed: 'Enter an e-mail address such as ann@example.com.',
    asked: (email) => ({
      heading: 'Look into your mailbox',
      message:
        `If an account exists for ${email}, a letter with a link is on its way. The link works once, for 15 minutes. ` +
        'If nothing comes, look into the spam folder too.',
      next: 'Use another address',
    }),
  },
}
