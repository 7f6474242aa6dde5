import type { EmailTranslations } from '../translations.ts'

export const en: EmailTranslations = {
  greeting: '{name, select, unnamed {Hello,} other {Hello {name},}}',
  addressHint: 'If the button does not work, open this address:',
  footer: 'This letter was sent by {site} about the account with this e-mail address. Replies are not read.',

  emails: {
    confirm_email: {
      subject: 'Confirm your e-mail address',
      preview: 'One step is left for your account at {site}.',
      paragraphs: [
        'An account at {site} was made with this e-mail address. Please confirm that the address is yours.',
        'The link holds for 24 hours and works once.',
      ],
      action: 'Confirm my address',
      after: ['If you did not make this account, do nothing: the address stays unconfirmed.'],
    },

    change_email: {
      subject: 'Confirm your new e-mail address',
      preview: 'Your account at {site} is to use this address from now on.',
      paragraphs: [
        'Somebody, we believe you, asked that an account at {site} use this e-mail address from now on. It changes when you confirm it.',
        'The link holds for 24 hours and works once.',
      ],
      action: 'Confirm the new address',
      after: ['If you did not ask for this, do nothing: nothing changes.'],
    },

    email_change_requested: {
      subject: 'Your e-mail address is about to change',
      preview: 'A new address was asked for, for your account at {site}.',
      paragraphs: [
        'Somebody who is signed in to your account at {site} asked to replace this e-mail address with {newEmail}.',
        'It is replaced when the new address is confirmed. If this was you, there is nothing to do here.',
        'If this was not you, somebody else can get into your account. Recover your password at once: that signs everybody out and stops the change.',
      ],
      action: 'Recover my password',
    },

    email_changed: {
      subject: 'Your e-mail address was changed',
      preview: 'Your account at {site} now uses another address.',
      paragraphs: [
        'Your account at {site} now uses the e-mail address {newEmail}. This is the last letter to the old one.',
        'If this was you, there is nothing to do.',
        'If this was not you, somebody else has got into your account. Recover your password at once; if no letter arrives at this address any more, turn to whoever runs {site} for you.',
      ],
      action: 'Recover my password',
    },

    reset_password: {
      subject: 'Choose a new password',
      preview: 'The link in this letter holds for 15 minutes.',
      paragraphs: [
        'Somebody, we believe you, asked for a new password for your account at {site}.',
        'The link holds for 15 minutes and works once. Choosing a new password signs you out everywhere.',
      ],
      action: 'Choose a new password',
      after: [
        'If you did not ask for this, do nothing: your password stays as it is.',
        'Keep this link to yourself: whoever has it can take over your account.',
      ],
    },

    password_changed: {
      subject: 'Your password was changed',
      preview: 'Your account at {site} has a new password.',
      paragraphs: [
        'The password of your account at {site} was changed.',
        'If this was you, there is nothing to do.',
        'If this was not you, somebody else has got into your account. Recover your password at once: that signs everybody out.',
      ],
      action: 'Recover my password',
    },

    refresh_token_reused: {
      subject: 'A sign-in of yours was presented twice',
      preview: 'It may have been copied from one of your devices.',
      paragraphs: [
        'What keeps a device signed in to your account at {site} is good for one use. One that was used up has been presented again, and was refused.',
        '{ended, select, yes {Someone may have copied it, so that device was signed out. If it is yours, sign in again.} other {It happens by accident, when an answer gets lost on its way or two windows ask at almost the same moment, so no device was signed out. It also happens when someone has copied it.}}',
        'If this was not you, or you are not sure, someone else may have got into your account. Recover your password: that signs everybody out.',
      ],
      action: 'Recover my password',
    },

    temporary_password: {
      subject: 'Your account at {site}',
      preview: 'With a temporary password to sign in for the first time.',
      paragraphs: [
        '{company, select, unnamed {A company} other {{company}}} made an account for you at {site}. Sign in with this e-mail address and the temporary password below; then you choose one of your own.',
        'The temporary password holds for {hours, plural, one {# hour} other {# hours}}, until {until, date, day} at {until, time, clock}.',
      ],
      action: 'Sign in',
      after: [
        'If it has expired, reset the password with the link below, or ask the person who added you for a new one.',
        '{company, select, unnamed {The company} other {{company}}} manages this account while you’re a member, and can set another password for it. If you weren’t expecting this email, you can ignore it. To make the account yours alone, reset the password and leave the company.',
      ],
      secondAction: 'Reset password',
    },

    password_reset: {
      subject: 'A temporary password for you',
      preview: 'For your account at {site}.',
      paragraphs: [
        '{company, select, unnamed {A company of yours} other {{company}}} asked for a temporary password for your account at {site}. When you sign in with it, you choose one of your own.',
        '{replaces, select, yes {It replaces the password before, and you were signed out everywhere.} other {Your own password goes on working: if you know it, you need not do anything.}}',
        'The temporary password holds for {hours, plural, one {# hour} other {# hours}}, until {until, date, day} at {until, time, clock}.',
      ],
      action: 'Sign in',
    },

    added_to_company: {
      subject: 'You were added to {company, select, unnamed {a company} other {{company}}}',
      preview: 'Your account at {site} has another company.',
      paragraphs: [
        '{company, select, unnamed {A company} other {{company}}} added you at {site}. Sign in as always; nothing else about your account has changed.',
      ],
      action: 'Open {site}',
      after: [
        'If you never created an account with this address, someone else did. Reset the password: this signs everyone out and makes the account yours.',
      ],
      secondAction: 'Reset password',
    },

    unverified_membership_ended: {
      subject: '{email} is no longer a member of {company, select, unnamed {your company} other {{company}}}',
      preview: 'The account changed its email address before it was proven.',
      paragraphs: [
        '{email} was added to {company, select, unnamed {your company} other {{company}}} at {site}. The account now has another email address, and nobody ever proved that {email} belonged to it. The membership has ended, because the account may not belong to the person you meant.',
        'If you still want this person in the company, ask for their email address and add them again.',
      ],
      action: 'Open {site}',
    },

    ownership_offered: {
      subject: 'You are offered the ownership of {company, select, unnamed {a company} other {{company}}}',
      preview: 'Sign in within 7 days to accept.',
      paragraphs: [
        '{from, select, unnamed {An Owner} other {{from}}} offers you the ownership of {company, select, unnamed {a company} other {{company}}} at {site}.',
        'Sign in within 7 days to accept it. Until you do, nothing changes; after that the offer is void.',
      ],
      action: 'Open {site}',
      after: ['If you do not want it, do nothing.'],
    },

    ownership_transferred: {
      subject: '{company, select, unnamed {Your company} other {{company}}} has a new Owner',
      preview: '{to, select, unnamed {Somebody} other {{to}}} has accepted the ownership.',
      paragraphs: [
        'The ownership of {company, select, unnamed {your company} other {{company}}} at {site} passed from {from, select, unnamed {its former Owner} other {{from}}} to {to, select, unnamed {a new one} other {{to}}}.',
        'If this was agreed, there is nothing to do. If you know nothing of it, somebody else may have got into your account: recover your password at once, that signs everybody out.',
      ],
      action: 'Recover my password',
    },

    company_deleted: {
      subject: '{company, select, unnamed {Your company} other {{company}}} was deleted',
      preview: 'An Owner can still restore it.',
      paragraphs: [
        '{by, select, unnamed {An Owner} other {{by}}} deleted {company, select, unnamed {your company} other {{company}}} at {site}. From now on nobody can work in it.',
        'An Owner can restore it, with all that is in it, until {until, date, day} at {until, time, clock}. After that it is gone for good.',
      ],
      action: 'Open {site}',
    },
  },
}
