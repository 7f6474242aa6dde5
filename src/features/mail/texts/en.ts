import type { Language } from '../language.ts'

export const en: Language = {
  tag: 'en',
  greeting: (name) => (name ? `Hello ${name},` : 'Hello,'),
  addressHint: 'If the button does not work, open this address:',
  footer: (site) => `This letter was sent by ${site} about the account with this e-mail address. Replies are not read.`,

  letters: {
    confirm_email: ({ site, link }) => ({
      subject: 'Confirm your e-mail address',
      preview: `One step is left for your account at ${site}.`,
      paragraphs: [
        `An account at ${site} was made with this e-mail address. Please confirm that the address is yours.`,
        'The link holds for 24 hours and works once.',
      ],
      action: { label: 'Confirm my address', url: link },
      after: ['If you did not make this account, do nothing: the address stays unconfirmed.'],
    }),

    change_email: ({ site, link }) => ({
      subject: 'Confirm your new e-mail address',
      preview: `Your account at ${site} is to use this address from now on.`,
      paragraphs: [
        `Somebody, we believe you, asked that an account at ${site} use this e-mail address from now on. It changes when you confirm it.`,
        'The link holds for 24 hours and works once.',
      ],
      action: { label: 'Confirm the new address', url: link },
      after: ['If you did not ask for this, do nothing: nothing changes.'],
    }),

    email_change_requested: ({ params, site, recoveryPage }) => ({
      subject: 'Your e-mail address is about to change',
      preview: `A new address was asked for, for your account at ${site}.`,
      paragraphs: [
        `Somebody who is signed in to your account at ${site} asked to replace this e-mail address with ${params.newEmail}.`,
        'It is replaced when the new address is confirmed. If this was you, there is nothing to do here.',
        'If this was not you, somebody else can get into your account. Recover your password at once: that signs everybody out and stops the change.',
      ],
      action: { label: 'Recover my password', url: recoveryPage },
    }),

    email_changed: ({ params, site, recoveryPage }) => ({
      subject: 'Your e-mail address was changed',
      preview: `Your account at ${site} now uses another address.`,
      paragraphs: [
        `Your account at ${site} now uses the e-mail address ${params.newEmail}. This is the last letter to the old one.`,
        'If this was you, there is nothing to do.',
        `If this was not you, somebody else has got into your account. Recover your password at once; if no letter arrives at this address any more, turn to whoever runs ${site} for you.`,
      ],
      action: { label: 'Recover my password', url: recoveryPage },
    }),

    reset_password: ({ site, link }) => ({
      subject: 'Choose a new password',
      preview: 'The link in this letter holds for 15 minutes.',
      paragraphs: [
        `Somebody, we believe you, asked for a new password for your account at ${site}.`,
        'The link holds for 15 minutes and works once. Choosing a new password signs you out everywhere.',
      ],
      action: { label: 'Choose a new password', url: link },
      after: [
        'If you did not ask for this, do nothing: your password stays as it is.',
        'Keep this link to yourself: whoever has it can take over your account.',
      ],
    }),

    password_changed: ({ site, recoveryPage }) => ({
      subject: 'Your password was changed',
      preview: `Your account at ${site} has a new password.`,
      paragraphs: [
        `The password of your account at ${site} was changed.`,
        'If this was you, there is nothing to do.',
        'If this was not you, somebody else has got into your account. Recover your password at once: that signs everybody out.',
      ],
      action: { label: 'Recover my password', url: recoveryPage },
    }),

    temporary_password: ({ params, site, password }) => ({
      subject: `Your account at ${site}`,
      preview: 'With a temporary password to sign in for the first time.',
      paragraphs: [
        `${params.company || 'A company'} made an account for you at ${site}. Sign in with this e-mail address and the temporary password below; then you choose one of your own.`,
        `The temporary password holds for ${params.hours} hours.`,
      ],
      secret: password,
      after: [
        'If its time is over, ask whoever added you for another one.',
        'If you expected nothing of the kind, do nothing: without this password nobody gets in.',
      ],
    }),

    password_reset: ({ params, site, password }) => ({
      subject: 'A temporary password for you',
      preview: `For your account at ${site}.`,
      paragraphs: [
        `${params.company || 'A company of yours'} asked for a temporary password for your account at ${site}. When you sign in with it, you choose one of your own.`,
        params.replaces === 'yes'
          ? 'It replaces the password before, and you were signed out everywhere.'
          : 'Your own password goes on working: if you know it, you need not do anything.',
        `The temporary password holds for ${params.hours} hours.`,
      ],
      secret: password,
    }),

    added_to_company: ({ params, site, recoveryPage }) => ({
      subject: params.company ? `You were added to ${params.company}` : 'You were added to a company',
      preview: `Your account at ${site} has another company.`,
      paragraphs: [
        `${params.company || 'A company'} added you at ${site}. Sign in as always; nothing else about your account has changed.`,
        'If you never made an account with this address, somebody else did: recover its password. That signs everybody out and makes the account yours.',
      ],
      action: { label: 'Recover the password', url: recoveryPage },
    }),

    ownership_offered: ({ params, site, recoveryPage }) => ({
      subject: 'You are offered the ownership of a company',
      preview: 'Sign in within 7 days to accept.',
      paragraphs: [
        `${params.from || 'An Owner'} offers you the ownership of ${params.company || 'a company'} at ${site}.`,
        'Sign in within 7 days to accept it. If you do not want it, do nothing.',
      ],
      action: { label: 'Recover my password', url: recoveryPage },
    }),

    ownership_transferred: ({ params, site, recoveryPage }) => ({
      subject: 'A company of yours has a new Owner',
      preview: `${params.to || 'Somebody'} has accepted the ownership.`,
      paragraphs: [
        `The ownership of ${params.company || 'your company'} at ${site} passed from ${params.from || 'its former Owner'} to ${params.to || 'a new one'}.`,
        'If you know nothing of it, somebody else may have got into your account: recover your password at once.',
      ],
      action: { label: 'Recover my password', url: recoveryPage },
    }),

    company_deleted: ({ params, site, recoveryPage }) => ({
      subject: 'A company of yours was deleted',
      preview: 'An Owner can still restore it.',
      paragraphs: [
        `${params.by || 'An Owner'} deleted ${params.company || 'your company'} at ${site}. From now on nobody can work in it.`,
        `An Owner can restore it, with all that is in it, until ${params.until.slice(0, 10)}. After that it is gone for good.`,
      ],
      action: { label: 'Recover my password', url: recoveryPage },
    }),
  },
}
