export default {
  checking: 'Checking the link…',
  linkMissing: {
    heading: 'This link is incomplete',
    message:
      'Part of the link is missing, which also happens when this page is reloaded. Open the link in the email again.',
  },
  confirmAddress: {
    heading: 'Confirm your email address',
    intro: 'Click the button to confirm that this email address is yours.',
    submit: 'Confirm email address',
    confirmed: {
      heading: 'Email address confirmed',
      message: 'Sign in with this address from now on. You can close this page.',
      signedIn: 'Continue here, or close this page and go back to where you were.',
    },
    linkInvalid: {
      heading: 'This link no longer works',
      message:
        'It was already used, has expired, or was replaced by a newer email or password. If you’ve already confirmed your address, you’re all set. If not, request a new link.',
    },
    taken: {
      heading: 'This address is already in use',
      message:
        'Another account started using this address in the meantime. Nothing has changed: your account keeps its current address.',
    },
  },
  newLink: {
    intro:
      'If you just signed up, enter your email address, and we’ll send you a new link. If you’re changing your address, sign in and request a new link there.',
    submit: 'Send new link',
    asked: {
      heading: 'Check your inbox',
      message:
        'If {email} belongs to an account and isn’t confirmed yet, you’ll get an email with a new link. The link is valid for 24 hours and works only once. Don’t see it? Check your spam folder.',
    },
  },
  restoreAddress: {
    heading: 'Restore your email address',
    intro:
      'The email address of your account was changed. If this wasn’t you, restore your previous address: this signs out every device, and we’ll email you a link to choose a new password.',
    submit: 'Restore email address',
    restored: {
      heading: 'Email address restored',
      message:
        'Your account uses your previous address again, and every device has been signed out. Check your inbox: an email with a link to choose a new password is on its way.',
    },
    linkInvalid: {
      heading: 'This link no longer works',
      message:
        'It was already used, has expired, or was replaced by a newer email. If you can’t get into your account, contact support.',
    },
    taken: {
      heading: 'This address is already in use',
      message:
        'Another account started using your previous address in the meantime. Nothing has changed. Contact support to get your account back.',
    },
  },
  choosePassword: {
    heading: 'Choose a new password',
    intro: 'It replaces your current password and signs you out on all devices.',
    submit: 'Save password',
    saved: {
      heading: 'Password changed',
      message: 'You’ve been signed out on all devices. Sign in with your new password.',
    },
    linkInvalid: {
      heading: 'This link no longer works',
      message:
        'It was already used, was replaced by a newer email, or is older than 15 minutes. If you just chose a password, try signing in with it.',
      next: 'Request a new link',
    },
  },
  askForLink: {
    heading: 'Reset your password',
    intro: 'Enter the email address of your account, and we’ll send you a link to choose a new password.',
    submit: 'Send link',
    asked: {
      heading: 'Check your inbox',
      message:
        'If there’s an account for {email}, you’ll get an email with a link. The link is valid for 15 minutes and works only once. Don’t see it? Check your spam folder.',
      next: 'Use a different address',
    },
  },
} as const
