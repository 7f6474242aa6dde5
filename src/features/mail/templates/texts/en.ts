import type { EmailTranslations } from '../translations.ts'

export const en: EmailTranslations = {
  greeting: '{name, select, unnamed {Hello,} other {Hello {name},}}',
  addressHint: 'If the button doesn’t work, open this link:',
  footer: 'Sent by {site} about an account linked to this email address. Replies to this email aren’t read.',

  emails: {
    confirm_email: {
      subject: 'Confirm your email address',
      preview: 'One step left to finish signing up for {site}.',
      paragraphs: [
        'An account on {site} was created with this email address. Confirm that the address is yours.',
        'The link is valid for 24 hours and works only once.',
      ],
      action: 'Confirm email address',
      after: ['If you didn’t create this account, ignore this email. The address won’t be confirmed.'],
    },

    change_email: {
      subject: 'Confirm your new email address',
      preview: 'Confirm this address to use it with your {site} account.',
      paragraphs: [
        'We received a request to use this email address for an account on {site}. The change takes effect when you confirm it.',
        'The link is valid for 24 hours and works only once.',
      ],
      action: 'Confirm new address',
      after: ['If you didn’t request this, ignore this email. Nothing will change.'],
    },

    email_change_requested: {
      subject: 'Request to change your email address',
      preview: 'A new email address was requested for your {site} account.',
      paragraphs: [
        'Someone signed in to your {site} account asked to change this email address to {newEmail}.',
        'The change takes effect once the new address is confirmed. If this was you, you can ignore this email.',
        'If this wasn’t you, someone else has access to your account. Reset your password now: this signs out every device and cancels the change.',
      ],
      action: 'Reset password',
    },

    email_changed: {
      subject: 'Your email address was changed',
      preview: 'Your {site} account now uses a different email address.',
      paragraphs: [
        'The email address of your {site} account was changed to {newEmail}.',
        'If this was you, you don’t need to do anything.',
        'If this wasn’t you, someone else has access to your account. Undo the change: your account goes back to this address, every device is signed out, and we email you a link to choose a new password.',
        'The link is valid for 7 days and works only once.',
      ],
      action: 'Undo the change',
      after: ['Don’t share this link. Anyone who has it can take over your account.'],
    },

    email_replaced: {
      subject: 'Your email address was changed',
      preview: 'Your {site} account now uses a different email address.',
      paragraphs: [
        'The email address of your {site} account was changed to {newEmail}. This is the last email about this account that we’ll send to this address.',
        'If this was you, you don’t need to do anything.',
        'If this wasn’t you, someone else has taken over your account. Contact {site} support right away and tell them that this address was replaced.',
      ],
      action: 'Open {site}',
    },

    email_restored: {
      subject: 'Your email address was restored',
      preview: 'Choose a new password for your {site} account.',
      paragraphs: [
        'Your {site} account uses this email address again. Every device was signed out, and the previous password no longer works.',
        'Choose a new password to sign in. The link is valid for 15 minutes and works only once.',
      ],
      action: 'Choose a new password',
      after: [
        'Don’t share this link. Anyone who has it can take over your account.',
        'If it has expired, reset the password with the link below.',
      ],
      secondAction: 'Reset password',
    },

    email_removed: {
      subject: 'Your email address was removed from an account',
      preview: 'A change of email address was undone.',
      paragraphs: [
        'This email address no longer belongs to an account on {site}. The change to it was undone with a link that we sent to the previous address.',
        'Every device was signed out, and the password of the account no longer works.',
        'If the account is yours and you can’t read email at the previous address, contact {site} support right away.',
      ],
      action: 'Open {site}',
    },

    reset_password: {
      subject: 'Reset your password',
      preview: 'The link in this email is valid for 15 minutes.',
      paragraphs: [
        'We received a request to reset the password of your {site} account.',
        'The link is valid for 15 minutes and works only once. Choosing a new password signs you out on all devices.',
      ],
      action: 'Choose a new password',
      after: [
        'If you didn’t request this, ignore this email. Your password stays the same.',
        'Don’t share this link. Anyone who has it can take over your account.',
      ],
    },

    password_changed: {
      subject: 'Your password was changed',
      preview: 'Your {site} account has a new password.',
      paragraphs: [
        'The password of your {site} account was changed.',
        'If this was you, you don’t need to do anything.',
        'If this wasn’t you, someone else has access to your account. Reset your password now: this signs out every device.',
      ],
      action: 'Reset password',
    },

    second_factor_added: {
      subject: 'A second factor was added',
      preview: 'Signing in to your {site} account now needs more than a password.',
      paragraphs: [
        '{factor, select, unnamed {A second factor} other {The second factor {factor}}} was added to your {site} account. From now on signing in asks for it.',
        'If this was you, you don’t need to do anything.',
        'If this wasn’t you, someone else has access to your account. Undo it: every factor added since is removed, every device is signed out, and we email you a link to choose a new password.',
        'The link is valid for 3 days and works only once.',
      ],
      action: 'This wasn’t me',
      after: ['Don’t share this link. Anyone who has it can take over your account.'],
    },

    second_factor_removed: {
      subject: 'A second factor was removed',
      preview: 'It no longer protects your {site} account.',
      paragraphs: [
        '{factor, select, unnamed {A second factor} other {The second factor {factor}}} was removed from your {site} account.',
        'If this was you, you don’t need to do anything.',
        'If this wasn’t you, someone else has access to your account. Tell us: every factor added since is removed, every device is signed out, and we email you a link to choose a new password.',
        'The link is valid for 3 days and works only once.',
      ],
      action: 'This wasn’t me',
      after: ['Don’t share this link. Anyone who has it can take over your account.'],
    },

    second_factor_reset: {
      subject: 'Your second factors were removed',
      preview: 'Your {site} account opens with your password alone now.',
      paragraphs: [
        'An administrator of {company, select, unnamed {your company} other {{company}}} removed every second factor of your {site} account, and its recovery codes. You’ve been signed out on all devices.',
        'If you asked for this, sign in with your password and add a second factor again.',
        'If you didn’t ask for this, contact your administrator and reset your password.',
      ],
      action: 'Reset password',
    },

    factor_reset_announced: {
      subject: 'Your second factors will be removed',
      preview: 'Cancel this if you didn’t ask for it.',
      paragraphs: [
        'The {site} team was asked to remove the second factors of your account. After {until, date, day} at {until, time, clock} all its passkeys, authenticator apps and recovery codes will be removed, and every device will be signed out. Your password alone will then sign you in.',
        'If you asked for this because you lost them, you don’t need to do anything.',
        'If you didn’t, cancel it: your second factors stay. The link works until then. Someone may be trying to get into your account, so reset your password as well.',
      ],
      action: 'Cancel the removal',
    },

    factor_reset_done: {
      subject: 'Your second factors were removed',
      preview: 'Your password alone signs in to {site} now.',
      paragraphs: [
        'The {site} team removed all passkeys, authenticator apps and recovery codes of your account, as announced. Every device was signed out.',
        'Sign in with your password, then add a new second factor.',
        'If you didn’t ask for this, reset your password now and contact {site} support.',
      ],
      action: 'Reset password',
    },

    recovery_codes_created: {
      subject: 'You have new recovery codes',
      preview: 'The earlier ones no longer work.',
      paragraphs: [
        'New recovery codes were created for your {site} account. The earlier ones no longer work.',
        'If this was you, you don’t need to do anything.',
        'If this wasn’t you, someone else has access to your account. Undo it: all recovery codes stop working, every device is signed out, and we email you a link to choose a new password.',
        'The link is valid for 3 days and works only once.',
      ],
      action: 'This wasn’t me',
      after: ['Don’t share this link. Anyone who has it can take over your account.'],
    },

    factor_change_undone: {
      subject: 'The change to your second factors was undone',
      preview: 'Choose a new password for your {site} account.',
      paragraphs: [
        'The change to the second factors of your {site} account was undone. Every device was signed out, and the previous password no longer works.',
        'Factors that were added before it still sign in. If another email tells of one that isn’t yours, use the link in that email, too.',
        'Choose a new password to sign in. The link is valid for 15 minutes and works only once.',
      ],
      action: 'Choose a new password',
      after: [
        'Don’t share this link. Anyone who has it can take over your account.',
        'If it has expired, reset the password with the link below.',
      ],
      secondAction: 'Reset password',
    },

    recovery_code_used: {
      subject: 'A recovery code was used',
      preview: 'It stood in for the second factor of your {site} account.',
      paragraphs: [
        'A recovery code of your {site} account was used instead of a second factor. {left, plural, one {# code is left.} other {# codes are left.}} You can create new ones at any time.',
        'If this was you, you don’t need to do anything else.',
        'If this wasn’t you, someone else has your password and one of your codes. Reset your password now: this signs out every device. Then create new recovery codes.',
      ],
      action: 'Reset password',
    },

    second_factor_guessed: {
      subject: 'Someone may know your password',
      preview: 'Wrong codes were entered for your {site} account.',
      paragraphs: [
        'Someone entered several wrong codes for the second factor of your {site} account. They know your password, or use a device that is signed in.',
        'Your second factor kept them out. If this was you, try again later, or use a recovery code.',
        'If this wasn’t you, reset your password now: this signs out every device.',
      ],
      action: 'Reset password',
    },

    new_sign_in: {
      subject: 'New sign-in to your {site} account',
      preview: 'From a network and a device that are new to it.',
      paragraphs: [
        'Someone signed in to your {site} account on {at, date, day} at {at, time, clock}, from the address {address} with {device, select, unnamed {an unknown device} other {{device}}}. Neither the network nor the device was used for it lately, or since its password was reset.',
        'If this was you, you don’t need to do anything.',
        'If this wasn’t you, someone else has access to your account. Reset your password now: this signs out every device. Then check the passkeys and authenticator apps of your account.',
      ],
      action: 'Reset password',
    },

    refresh_token_reused: {
      subject: 'Unusual sign-in activity',
      preview: 'A session of your {site} account may have been copied.',
      paragraphs: [
        'A device stays signed in to your {site} account with a token that works only once. A used token was presented again, and we refused it.',
        '{ended, select, yes {Someone may have copied it, so we signed out that device. If it’s yours, sign in again.} other {This can happen by accident, when a response gets lost or two windows send a request at almost the same time, so we didn’t sign out any device. It also happens when someone has copied the token.}}',
        'If this wasn’t you, or you aren’t sure, someone else may have access to your account. Reset your password: this signs out every device.',
      ],
      action: 'Reset password',
    },

    temporary_password: {
      subject: 'Your {site} account is ready',
      preview: 'Use this temporary password the first time you sign in.',
      paragraphs: [
        '{company, select, unnamed {A company} other {{company}}} created an account for you on {site}. {by, select, unnamed {Sign in} other {{verified, select, no {It was {by} who added you: this address has not been verified.} other {It was {by} who added you.}} Sign in}} with this email address and the temporary password below. You’ll then choose your own password.',
        'The temporary password is valid for {hours, plural, one {# hour} other {# hours}}, until {until, date, day} at {until, time, clock}.',
      ],
      action: 'Sign in',
      after: [
        'If it has expired, reset the password with the link below, or ask the person who added you for a new one.',
        '{company, select, unnamed {The company} other {{company}}} manages this account while you’re a member, and can set another password for it. If you weren’t expecting this email, you can ignore it. To make the account yours alone, reset the password and leave the company.',
      ],
      secondAction: 'Reset password',
    },

    password_reset: {
      subject: 'Your temporary password',
      preview: 'Sign in to {site} with it, then choose your own.',
      paragraphs: [
        '{company, select, unnamed {One of your companies} other {{company}}} requested a temporary password for your {site} account. Sign in with it, then choose your own password.',
        '{replaces, select, yes {It replaces your previous password, and you’ve been signed out on all devices.} none {Your account has no other password.} other {Your current password still works. If you remember it, you don’t need to do anything.}}',
        'The temporary password is valid for {hours, plural, one {# hour} other {# hours}}, until {until, date, day} at {until, time, clock}.',
      ],
      action: 'Sign in',
    },

    added_to_company: {
      subject: 'You were added to {company, select, unnamed {a company} other {{company}}}',
      preview:
        '{awaits, select, yes {Reset the password to confirm your address.} other {Sign in to {site} as usual.}}',
      paragraphs: [
        '{company, select, unnamed {A company} other {{company}}} added you as a member on {site}. {by, select, unnamed {{awaits, select, yes {To open it, first reset the password with the link below: this confirms your email address.} other {Sign in as usual.}}} other {{verified, select, no {It was {by} who added you: this address has not been verified.} other {It was {by} who added you.}} {awaits, select, yes {To open it, first reset the password with the link below: this confirms your email address.} other {Sign in as usual.}}}} Nothing else about your account has changed.',
      ],
      action: 'Open {site}',
      after: [
        'If you never created an account with this address, someone else did. Reset the password: this signs everyone out and makes the account yours.',
      ],
      secondAction: 'Reset password',
    },

    invitation: {
      subject: 'Invitation to join {company, select, unnamed {a company} other {{company}}}',
      preview: 'Accept or decline by {until, date, day}.',
      paragraphs: [
        '{inviter, select, unnamed {A member} other {{inviter}}} invited you to join {company, select, unnamed {a company} other {{company}}} on {site}. Nothing changes until you accept.',
        'The invitation is valid until {until, date, day} at {until, time, clock}.',
      ],
      action: 'View invitation',
      after: [
        'If you don’t want to join, decline the invitation or ignore this email.',
        'Don’t share this link. Anyone who has it can answer in your place.',
      ],
      footer: 'Sent by {site} because someone invited this email address. Replies to this email aren’t read.',
    },

    invitation_accepted: {
      subject:
        '{member, select, unnamed {Someone} other {{member}}} joined {company, select, unnamed {your company} other {{company}}}',
      preview: 'Your invitation was accepted.',
      paragraphs: [
        '{member, select, unnamed {The person you invited} other {{member}}} accepted your invitation and is now a member of {company, select, unnamed {your company} other {{company}}} on {site}.',
        'If you invited this person, you don’t need to do anything.',
        'If you didn’t, someone else may have access to your account. Reset your password now to sign out every device, then remove the new member from the company.',
      ],
      action: 'Reset password',
    },

    unverified_membership_ended: {
      subject: '{email} is no longer a member of {company, select, unnamed {your company} other {{company}}}',
      preview: 'The account’s email address was changed before it was confirmed.',
      paragraphs: [
        '{email} was added to {company, select, unnamed {your company} other {{company}}} on {site}. The account now uses a different email address, and no one confirmed that {email} belonged to it. The membership ended because the account may not belong to the person you meant to add.',
        'If you still want to add this person, ask for their email address and add them again.',
      ],
      action: 'Open {site}',
    },

    ownership_offered: {
      subject: 'You’ve been offered ownership of {company, select, unnamed {a company} other {{company}}}',
      preview: 'Sign in within 7 days to accept or decline.',
      paragraphs: [
        '{from, select, unnamed {An owner} other {{from}}} wants to transfer ownership of {company, select, unnamed {a company} other {{company}}} on {site} to you.',
        'Sign in within 7 days to accept. You’ll then become an owner, and {from, select, unnamed {the current owner} other {{from}}} will become an admin. Nothing changes until you accept, and after 7 days the offer expires.',
      ],
      action: 'Open {site}',
      after: ['If you don’t want it, decline the offer or let it expire.'],
    },

    ownership_transferred: {
      subject: '{company, select, unnamed {Your company} other {{company}}} has a new owner',
      preview: '{to, select, unnamed {Someone} other {{to}}} accepted ownership.',
      paragraphs: [
        '{to, select, unnamed {Someone} other {{to}}} is now an owner of {company, select, unnamed {your company} other {{company}}} on {site}, and {from, select, unnamed {the previous owner} other {{from}}} is now an admin.',
        'If you agreed to this, you don’t need to do anything. If you didn’t, someone else may have access to your account: reset your password now to sign out every device.',
      ],
      action: 'Reset password',
    },

    join_requested: {
      subject:
        '{person, select, unnamed {Someone} other {{person}}} asks to join {company, select, unnamed {your company} other {{company}}}',
      preview: 'Approve or decline the request.',
      paragraphs: [
        '{person, select, unnamed {Someone} other {{person}}} ({email}) asks to join {company, select, unnamed {your company} other {{company}}} on {site}. The address is verified and belongs to a domain of the company.',
        'Sign in to approve or decline the request. Nothing changes until then.',
      ],
      action: 'Open {site}',
    },

    joined_by_domain: {
      subject:
        '{person, select, unnamed {Someone} other {{person}}} joined {company, select, unnamed {your company} other {{company}}}',
      preview: 'By the domain of their email address.',
      paragraphs: [
        '{person, select, unnamed {Someone} other {{person}}} ({email}) joined {company, select, unnamed {your company} other {{company}}} on {site}. The address is verified, and everyone with an address at this domain can join.',
        'If this person doesn’t belong there, remove them from the members. They can’t come back with this address without an approval.',
      ],
      action: 'Open {site}',
    },

    join_approved: {
      subject: 'You’re now a member of {company, select, unnamed {a company} other {{company}}}',
      preview: 'Your request to join was approved.',
      paragraphs: [
        'Your request to join {company, select, unnamed {a company} other {{company}}} on {site} was approved. Sign in as usual to open it.',
      ],
      action: 'Open {site}',
    },

    join_declined: {
      subject: 'Your request to join {company, select, unnamed {a company} other {{company}}} was declined',
      preview: 'Nothing about your account has changed.',
      paragraphs: [
        'Your request to join {company, select, unnamed {a company} other {{company}}} on {site} was declined. Nothing about your account has changed.',
        'If you think this is a mistake, contact the people who run the company.',
      ],
      action: 'Open {site}',
    },

    domain_lapsed: {
      subject: '{domain} is no longer verified',
      preview: 'Its DNS record has been missing for 7 days.',
      paragraphs: [
        'The domain {domain} of {company, select, unnamed {your company} other {{company}}} on {site} is no longer verified, because its DNS record has been missing for 7 days. People with an address at this domain can no longer join by themselves or ask to join. Members stay members.',
        'Publish the record again, then verify the domain again.',
      ],
      action: 'Open {site}',
    },

    domain_moved: {
      subject: '{domain} was verified by another company',
      preview: 'It no longer belongs to your company.',
      paragraphs: [
        'Another company on {site} has proved with a DNS record that it controls the domain {domain}. It’s no longer verified for {company, select, unnamed {your company} other {{company}}}. Members stay members, but people with an address at this domain can no longer join by themselves or ask to join.',
        'If you control this domain, check who can change its DNS records, and delete those that you don’t know. Then publish the new record that {site} shows for the domain, and verify it again.',
      ],
      action: 'Open {site}',
    },

    company_deleted: {
      subject: '{company, select, unnamed {Your company} other {{company}}} was deleted',
      preview: 'An owner can still restore it.',
      paragraphs: [
        '{by, select, unnamed {An owner} other {{by}}} deleted {company, select, unnamed {your company} other {{company}}} on {site}. Its members can no longer access it.',
        'Any owner can restore it, with all its data, until {until, date, day} at {until, time, clock}. After that, it’s permanently deleted.',
        'If you didn’t expect this, someone may have taken over an owner’s account. If you were an owner until recently and can’t restore the company, contact {site} support.',
      ],
      action: 'Open {site}',
    },

    company_suspended: {
      subject: '{company, select, unnamed {Your company} other {{company}}} was suspended',
      preview: 'Its members can’t use it for now.',
      paragraphs: [
        'The {site} team suspended {company, select, unnamed {your company} other {{company}}}. Its members can sign in, but can’t use the company. Nothing was deleted.',
        'To have it resumed, contact {site} support.',
      ],
      action: 'Open {site}',
    },

    company_resumed: {
      subject: '{company, select, unnamed {Your company} other {{company}}} is available again',
      preview: 'The suspension has ended.',
      paragraphs: [
        'The {site} team ended the suspension of {company, select, unnamed {your company} other {{company}}}. Its members can use it again, with all its data.',
      ],
      action: 'Open {site}',
    },

    company_renamed: {
      subject: '{former, select, unnamed {Your company} other {{former}}} has a new name',
      preview: 'It’s called {company, select, unnamed {something else} other {{company}}} now.',
      paragraphs: [
        '{by, select, unnamed {A member} other {{by}}} renamed {former, select, unnamed {your company} other {{former}}} on {site}. It’s called {company, select, unnamed {something else} other {{company}}} now, also in the emails about it.',
        'If you didn’t expect this, someone may have taken over an account. Check the audit log and the members of your company.',
      ],
      action: 'Open {site}',
    },

    company_restored: {
      subject: '{company, select, unnamed {Your company} other {{company}}} was restored',
      preview: 'Its members can use it again.',
      paragraphs: [
        '{by, select, unnamed {An owner} other {{by}}} restored {company, select, unnamed {your company} other {{company}}} on {site}, which had been deleted. Its members can use it again, with all its data.',
        'If you didn’t expect this, someone may have taken over an owner’s account. Check the members of your company.',
      ],
      action: 'Open {site}',
    },

    policy_loosened: {
      subject: 'The sign-in policy of {company, select, unnamed {your company} other {{company}}} was loosened',
      preview: 'It lets in sessions that it kept out before.',
      paragraphs: [
        '{by, select, unnamed {A member} other {{by}}} changed the sign-in policy of {company, select, unnamed {your company} other {{company}}} on {site}. It now asks for less than before. The audit log shows what was changed.',
        'If you didn’t expect this, someone may have taken over an account. Check the policy and the members of your company.',
      ],
      action: 'Open {site}',
    },

    policy_tightened: {
      subject: 'The sign-in policy of {company, select, unnamed {your company} other {{company}}} was tightened',
      preview: 'It asks for more than before, and may keep you out.',
      paragraphs: [
        '{by, select, unnamed {A member} other {{by}}} changed the sign-in policy of {company, select, unnamed {your company} other {{company}}} on {site}. It now asks for more than before. You may have to sign in again, add a second factor or use another network to open the company.',
        'If you didn’t expect this, someone may have taken over an account. Check the policy and the members of your company. If you can’t open it, contact {site} support at once.',
      ],
      action: 'Open {site}',
    },

    policy_reset: {
      subject: 'The sign-in policy of {company, select, unnamed {your company} other {{company}}} was reset',
      preview: 'It asks for nothing until you set it again.',
      paragraphs: [
        'The {site} team reset the sign-in policy of {company, select, unnamed {your company} other {{company}}}. Until you set it again, the company asks for no second factor and admits every network.',
        'If no owner asked for this, contact {site} support.',
      ],
      action: 'Open {site}',
    },

    owners_changed: {
      subject: 'The owners of {company, select, unnamed {your company} other {{company}}} have changed',
      preview: 'Check whether you expected this.',
      paragraphs: [
        '{change, select, made {{by, select, unnamed {An owner} other {{by}}} made {person, select, unnamed {a member} other {{person}}} an owner.} added {{by, select, unnamed {An owner} other {{by}}} added {person, select, unnamed {a member} other {{person}}} as an owner.} joined {{person, select, unnamed {A member} other {{person}}} joined as an owner, invited by {by, select, unnamed {an owner} other {{by}}}.} reactivated {{by, select, unnamed {An owner} other {{by}}} reactivated {person, select, unnamed {an owner} other {the owner {person}}}.} replaced {{by, select, unnamed {An owner} other {{by}}} deleted {person, select, unnamed {a role} other {the role {person}}}: everyone who had it is an owner {memberEmails, select, none {now.} other {now, such as {memberEmails}.}}} transferred {{person, select, unnamed {A member} other {{person}}} accepted the ownership from {by, select, unnamed {an owner} other {{by}}}, who isn’t an owner anymore.} demoted {{by, select, unnamed {An owner} other {{by}}} took the ownership away from {person, select, unnamed {a member} other {{person}}}.} deactivated {{by, select, unnamed {An owner} other {{by}}} deactivated {person, select, unnamed {an owner} other {the owner {person}}}.} removed {{by, select, unnamed {An owner} other {{by}}} removed {person, select, unnamed {an owner} other {the owner {person}}}.} left {{person, select, unnamed {An owner} other {The owner {person}}} left.} disabled {The {site} team disabled the account of {person, select, unnamed {an owner} other {the owner {person}}}.} enabled {The {site} team enabled the account of {person, select, unnamed {an owner} other {the owner {person}}} again.} undone {The email address of {person, select, unnamed {an owner} other {the owner {person}}} was changed back. The membership is inactive until someone reactivates it.} many {The owners have changed many times within an hour. There may be further changes about which we don’t email you.} other {The owners have changed.}} {verified, select, no {The new owner’s email address has not been verified. This happened} other {This happened}} in {company, select, unnamed {your company} other {{company}}} on {site} on {at, date, day} at {at, time, clock}.',
        'If you expected this, you don’t need to do anything.',
        'If you didn’t expect this, someone may have taken over an owner’s account. Sign in, check the audit log and the members of your company, and undo what isn’t right. If you can’t open the company anymore, contact {site} support.',
      ],
      action: 'Open {site}',
    },

    notices_withheld: {
      subject: 'Emails about your companies were withheld',
      preview: 'Check the audit logs of your companies.',
      paragraphs: [
        'So much has changed in your companies on {site} within an hour that we don’t email you about all of it. {verified, select, no {To get these emails from more companies, confirm your email address in your account settings.} other {We email you again after that hour.}}',
        'If you didn’t expect this, someone may be hiding a change among many. Sign in, check the audit log and the owners of each of your companies, and undo what isn’t right.',
      ],
      action: 'Open {site}',
      after: [
        'If you never created an account with this address, someone else did. Reset the password: this signs everyone out and makes the account yours.',
      ],
      secondAction: 'Reset password',
    },

    second_factor_due: {
      subject: '{company, select, unnamed {Your company} other {{company}}} asks for a second factor',
      preview: 'Add one to your {site} account to keep your access.',
      paragraphs: [
        '{company, select, unnamed {Your company} other {{company}}} on {site} asks its members for a second factor, such as codes of an app or a passkey. Your account has none yet.',
        'From {until, date, day} at {until, time, clock} on you can’t open the company without one. Add it in your account settings; that also works after this date.',
      ],
      action: 'Open {site}',
    },

    account_created: {
      subject: 'Your account on {site}',
      preview: 'Choose a password to sign in for the first time.',
      paragraphs: [
        'The {site} team created an account for you with this email address. Choose a password to sign in.',
        'The link is valid for 15 minutes and works only once.',
      ],
      action: 'Choose a password',
      after: [
        'Don’t share this link. Anyone who has it can take over your account.',
        'If it has expired, request a new one with the link below.',
      ],
      secondAction: 'Request a new link',
    },

    account_disabled: {
      subject: 'Your account on {site} is disabled',
      preview: 'You can’t sign in for now.',
      paragraphs: [
        'The {site} team disabled your account. Every device was signed out, and you can’t sign in or reset the password until the account is enabled again.',
        'If you think this is a mistake, contact {site} support.',
      ],
      action: 'Open {site}',
    },

    account_enabled: {
      subject: 'Your account on {site} is enabled again',
      preview: 'You can sign in as before.',
      paragraphs: [
        'The {site} team enabled your account again. Sign in with your password, or reset it if you don’t remember it.',
      ],
      action: 'Open {site}',
    },

    password_removed: {
      subject: 'Choose a new password',
      preview: 'The password of your {site} account no longer works.',
      paragraphs: [
        'The {site} team reset your account. Every device was signed out, and the previous password no longer works.',
        'Choose a new password to sign in. The link is valid for 15 minutes and works only once.',
      ],
      action: 'Choose a new password',
      after: [
        'Don’t share this link. Anyone who has it can take over your account.',
        'If it has expired, request a new one with the link below.',
      ],
      secondAction: 'Request a new link',
    },

    mailbox_code: {
      subject: 'Your confirmation code',
      preview: 'Enter it where you’re signed in to {site}.',
      paragraphs: [
        'Someone signed in to your {site} account wants to {purpose, select, joining {join a company or answer an invitation} other {add a passkey or an authenticator app to it}}. If this is you, enter this code there. The code is valid for 15 minutes and works only once, for this alone.',
      ],
      after: [
        'If this isn’t you, someone else knows your password. Don’t give the code to anyone, and reset your password: this signs out every device.',
      ],
      secondAction: 'Reset password',
    },

    passkey_copied: {
      subject: 'One of your passkeys may have been copied',
      preview: 'We refused a sign-in to your {site} account.',
      paragraphs: [
        '{passkey, select, unnamed {One of your passkeys for {site}} other {Your passkey for {site} called {passkey}}} was used, but its counter said that this use lay before an earlier one. Someone may have a copy of it, so we refused it.',
        'This can also happen after a device or an app was restored from a backup. Either way, remove the passkey from your account and create a new one.',
      ],
      action: 'Open {site}',
    },
  },
}
