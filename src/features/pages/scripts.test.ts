import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { type Answer, FakePage } from '../../../test/support/page.ts'
import type { Page } from './document.ts'
import {
  cancelFactorResetPage,
  homePage,
  invitationPage,
  resetPasswordPage,
  undoEmailChangePage,
  undoFactorChangePage,
  verifyEmailPage,
} from './pages.ts'

const BASE = 'https://api.example.com'
const destinations = { signIn: 'https://app.example.com', documentation: false, mailbox: false }
const OK: Answer = { status: 200 }
const DEAD: Answer = { status: 400, body: { code: 'link_invalid' } }
const own = Object.getOwnPropertyDescriptors(globalThis)
const REPLACED = ['location', 'navigator', 'history', 'document', 'fetch'] as const

afterEach(() => {
  for (const name of REPLACED) {
    const descriptor = own[name as keyof typeof own]
    if (descriptor) Object.defineProperty(globalThis, name, descriptor)
    else Reflect.deleteProperty(globalThis, name)
  }
})

async function open(page: Page, query: string, answers: Record<string, Answer> = {}): Promise<FakePage> {
  const opened = new FakePage(page, `${BASE}/${page.script}${query}`, (path) => {
    const answer = answers[path.replace('api/auth/', '')]
    return answer ?? assert.fail(`nothing answers ${path}`)
  })
  await opened.run(page.script)
  return opened
}

const pathsOf = ({ sent }: FakePage) => sent.map(([path]) => path.replace('api/auth/', ''))

const linkPages = [
  { page: resetPasswordPage(destinations), path: 'reset-password', form: 'choose' },
  { page: verifyEmailPage(destinations), path: 'verify-email', form: 'confirm' },
  { page: undoEmailChangePage(), path: 'undo-email-change', form: 'undo' },
  { page: undoFactorChangePage(), path: 'undo-factor-change', form: 'undo' },
  { page: cancelFactorResetPage(), path: 'cancel-factor-reset', form: 'cancel' },
]

for (const { page, path, form } of linkPages) {
  describe(`the page of a link: /${path}`, () => {
    it('takes the token out of the address before anything else, and keeps the language', async () => {
      const opened = await open(page, '?token=secret&lang=es', { [`${path}/check`]: OK })
      assert.equal(opened.location.href, `${BASE}/${path}?lang=es`)
      assert.equal(opened.element('heading').textContent.includes('secret'), false)
      assert.deepEqual(opened.sent, [[`api/auth/${path}/check`, { token: 'secret' }]])
    })

    it('says at once that a link is invalid, and shows no form for it', async () => {
      const opened = await open(page, '?token=x', { [`${path}/check`]: DEAD })
      assert.equal(opened.element('heading').textContent, 'This link no longer works')
      assert.equal(opened.has(form), false)
      assert.equal(opened.has('password'), false)
      assert.equal(opened.element('message').dataset.tone, 'failure')
      assert.equal(opened.focused, opened.element('heading'))
      assert.equal(opened.title, 'This link no longer works · Tenantry')
    })

    it('shows the form when the check can’t say: using the link will tell', async () => {
      for (const answer of [
        { status: 429 },
        { status: 503 },
        { status: 404 },
        { status: 400, body: { code: 'other' } },
      ]) {
        const opened = await open(page, '?token=x', { [`${path}/check`]: answer })
        assert.equal(opened.has(form), true, JSON.stringify(answer))
        assert.equal(opened.element('message').textContent, '')
      }
    })

    it('uses the link only when the button is pressed, then shows the outcome and gives the heading the focus', async () => {
      const opened = await open(page, '?token=secret', { [`${path}/check`]: OK, [path]: OK })
      assert.deepEqual(pathsOf(opened), [`${path}/check`])
      if (form === 'choose') opened.element('password').value = 'Correct-horse-7'
      await opened.submit(form)
      assert.deepEqual(pathsOf(opened), [`${path}/check`, path])
      assert.equal(opened.sent[1]?.[1].token, 'secret')
      assert.equal(opened.element('message').dataset.tone, 'success')
      assert.equal(opened.focused, opened.element('heading'))
      assert.equal(opened.root.querySelectorAll('form').length, 0)
    })

    it('says so when the link dies between the check and its use', async () => {
      const opened = await open(page, '?token=x', { [`${path}/check`]: OK, [path]: DEAD })
      if (form === 'choose') opened.element('password').value = 'Correct-horse-7'
      await opened.submit(form)
      assert.equal(opened.element('heading').textContent, 'This link no longer works')
      assert.equal(opened.has(form), false)
    })

    it('has a label for every field, a name for every button, and one heading', async () => {
      for (const query of ['', '?token=x']) {
        const opened = await open(page, query, { [`${path}/check`]: OK })
        const elements = opened.root.all().filter((element) => element.isShown())
        for (const field of elements.filter(({ tag }) => tag === 'input')) {
          const label = elements.find(({ tag, attributes }) => tag === 'label' && attributes.get('for') === field.id)
          assert.ok(label?.textContent, field.id)
          for (const id of field.getAttribute('aria-describedby')?.split(' ') ?? []) assert.ok(opened.element(id))
        }
        for (const { tag, textContent } of elements)
          if (tag === 'button' || tag === 'a') assert.notEqual(textContent, '')
        assert.equal(elements.filter(({ tag }) => tag === 'h1').length, 1)
        assert.equal(opened.element('message').getAttribute('role'), 'status')
        assert.equal(opened.root.lang, 'en')
      }
    })
  })
}

it('leads from the canceled removal of second factors to a new password', async () => {
  const page = await open(cancelFactorResetPage(), '?token=x&lang=pt', {
    'cancel-factor-reset/check': OK,
    'cancel-factor-reset': OK,
  })
  await page.submit('cancel')
  const [next] = page.root.querySelectorAll('a').filter(({ textContent }) => textContent === 'Redefinir senha')
  assert.equal(next?.href, `${BASE}/reset-password?lang=pt`)
})

describe('after success', () => {
  it('leads to where people sign in', async () => {
    for (const { page, path, form } of linkPages.slice(0, 2)) {
      const opened = await open(page, '?token=x', { [`${path}/check`]: OK, [path]: OK })
      assert.equal(opened.has('sign-in'), false)
      if (form === 'choose') opened.element('password').value = 'Correct-horse-7'
      await opened.submit(form)
      const link = opened.element('sign-in')
      assert.deepEqual([link.isShown(), link.textContent, link.href], [true, 'Sign in', 'https://app.example.com/'])
    }
  })

  it('has no sign-in link while APP_URL is unset or is the address of the service itself', async () => {
    for (const signIn of [undefined, BASE]) {
      const opened = await open(verifyEmailPage({ ...destinations, signIn }), '?token=x', {
        'verify-email/check': OK,
        'verify-email': OK,
      })
      await opened.submit('confirm')
      assert.equal(opened.has('sign-in'), false)
    }
  })
})

describe('the page for the confirmation of an address', () => {
  it('sends a new link when the old one is dead or incomplete', async () => {
    for (const [query, answers] of [
      ['?token=x', { 'verify-email/check': DEAD }],
      ['', {}],
    ] as const) {
      const opened = await open(verifyEmailPage(destinations), query, { ...answers, 'verify-email/resend': OK })
      assert.equal(opened.focused, opened.element('heading'))
      opened.element('email').value = ' ann@example.com '
      await opened.submit('resend')
      assert.deepEqual(opened.sent.at(-1), ['api/auth/verify-email/resend', { email: 'ann@example.com' }])
      assert.equal(opened.element('heading').textContent, 'Check your inbox')
      assert.match(opened.text(), /If ann@example\.com belongs to an account/)
      assert.equal(opened.has('email'), false)
    }
  })

  it('says why an address can’t be sent to, at the field', async () => {
    const opened = await open(verifyEmailPage(destinations), '')
    const field = opened.element('email')
    field.valid = false
    await opened.submit('resend')
    assert.equal(opened.focused, field)
    assert.equal(field.getAttribute('aria-invalid'), 'true')
    assert.equal(opened.element('email-error').textContent, 'Enter an email address like ann@example.com.')
    assert.deepEqual(opened.sent, [])
  })

  it('says when the address was taken in the meantime', async () => {
    const opened = await open(verifyEmailPage(destinations), '?token=x', {
      'verify-email/check': OK,
      'verify-email': { status: 409, body: { code: 'email_taken' } },
    })
    await opened.submit('confirm')
    assert.equal(opened.element('heading').textContent, 'This address is already in use')
  })
})

describe('the page for a new password', () => {
  it('shows the form for an address when there is no token, and links back in the same language', async () => {
    const opened = await open(resetPasswordPage(destinations), '?lang=pt', { 'forgot-password': OK })
    opened.element('email').value = 'ann@example.com'
    await opened.submit('ask')
    assert.equal(opened.element('heading').textContent, 'Confira sua caixa de entrada')
    const next = opened.root.querySelectorAll('a').find(({ href }) => href.startsWith(BASE))
    assert.equal(next?.href, `${BASE}/reset-password?lang=pt`)
  })

  it('says at the field what the API has against the password', async () => {
    const opened = await open(resetPasswordPage(destinations), '?token=x', {
      'reset-password/check': OK,
      'reset-password': {
        status: 400,
        body: {
          code: 'validation_failed',
          details: [{ path: 'newPassword', message: 'is too common' }],
        },
      },
    })
    opened.element('password').value = 'Password1'
    await opened.submit('choose')
    assert.equal(opened.element('password-error').textContent, 'The password is too common.')
    assert.equal(opened.focused, opened.element('password'))
  })
})

it('keeps “e-mail” on one line, but not the hyphen of an address', async () => {
  const opened = await open(verifyEmailPage(destinations), '?lang=pt', { 'verify-email/resend': OK })
  assert.match(opened.text(), /digite seu e\u2011mail/)
  opened.element('email').value = 'e-mail@example.com'
  await opened.submit('resend')
  assert.match(opened.text(), /Se e-mail@example\.com pertence/)
})

it('the page at the root leads to where people sign in', async () => {
  const opened = await open(homePage(destinations), '')
  assert.equal(opened.has('ways'), true)
  assert.equal(opened.element('sign-in').isShown(), true)
})

describe('the page of an invitation', () => {
  const page = invitationPage(destinations)
  const seen = (next: string): Answer => ({
    status: 200,
    body: { data: { company: { name: 'Acme' }, inviter: { name: 'Ann' }, email: 'bob@example.com', next } },
  })
  const asksFor = (...methods: string[]): Answer => ({
    status: 401,
    body: { code: 'second_factor_required', challenge: { token: 'waiting', methods } },
  })
  const tokens = { accessToken: 'access', refreshToken: 'refresh' }
  const preview = 'invitations/preview'

  it('says who invites, to which address, and takes the token out of the address', async () => {
    const opened = await open(page, '?token=secret&lang=en', { [preview]: seen('register') })
    assert.equal(opened.location.href, `${BASE}/invitation?lang=en`)
    assert.equal(opened.element('intro').textContent, 'Ann invited bob@example.com to join Acme.')
    assert.deepEqual([opened.has('register'), opened.has('sign-in-form'), opened.has('decline')], [true, false, true])
  })

  it('creates the account with the token, and keeps no session', async () => {
    const answers = {
      [preview]: seen('register'),
      'invitations/register': { status: 201, body: { data: tokens } },
      logout: OK,
    }
    const opened = await open(page, '?token=secret&lang=pt', answers)
    opened.element('name').value = ' Bob '
    opened.element('password').value = 'Correct-horse-7'
    await opened.submit('register')
    assert.deepEqual(opened.sent.slice(1), [
      ['api/auth/invitations/register', { token: 'secret', name: 'Bob', password: 'Correct-horse-7', locale: 'pt' }],
      ['api/auth/logout', { refreshToken: 'refresh' }],
    ])
    assert.equal(opened.element('heading').textContent, 'Convite aceito')
    assert.equal(opened.has('sign-in'), true)
  })

  it('signs in to the account that the address has, and accepts', async () => {
    const answers = { [preview]: seen('sign_in'), login: { status: 200, body: { data: tokens } }, logout: OK }
    const opened = await open(page, '?token=secret', { ...answers, 'invitations/accept': OK })
    assert.deepEqual([opened.has('register'), opened.has('sign-in-form')], [false, true])
    opened.element('current').value = 'Correct-horse-7'
    await opened.submit('sign-in-form')
    assert.deepEqual(pathsOf(opened), [preview, 'login', 'invitations/accept', 'logout'])
    assert.equal(opened.element('heading').textContent, 'Invitation accepted')
  })

  it('asks for a code where the account has a second factor, and again for a wrong one', async () => {
    const answers: Record<string, Answer> = {
      [preview]: seen('sign_in'),
      login: asksFor('passkey', 'totp', 'recovery_code'),
      'login/second-factor': { status: 401, body: { code: 'second_factor_wrong' } },
      'invitations/accept': OK,
      logout: OK,
    }
    const opened = await open(page, '?token=secret', answers)
    assert.equal(opened.element('second-factor').hidden, true)
    opened.element('current').value = 'Correct-horse-7'
    await opened.submit('sign-in-form')
    assert.deepEqual([opened.has('sign-in-form'), opened.element('second-factor').hidden], [false, false])
    assert.equal(opened.focused, opened.element('code'))

    await opened.submit('second-factor')
    assert.equal(opened.element('code-error').textContent, 'Enter a code.')
    opened.element('code').value = ' 123 456 '
    await opened.submit('second-factor')
    assert.match(opened.element('code-error').textContent, /isn’t right/)
    opened.element('code').value = 'ABCD-EFGH-JKMN-PQRS'
    answers['login/second-factor'] = { status: 200, body: { data: tokens } }
    await opened.submit('second-factor')
    const asked = opened.sent.filter(([path]) => path.endsWith('second-factor')).map(([, body]) => body)
    assert.deepEqual(asked, [
      { challenge: 'waiting', code: '123456' },
      { challenge: 'waiting', recoveryCode: 'ABCD-EFGH-JKMN-PQRS' },
    ])
    assert.deepEqual(pathsOf(opened).slice(-2), ['invitations/accept', 'logout'])
    assert.equal(opened.element('heading').textContent, 'Invitation accepted')
    assert.equal(opened.has('hint'), false)
  })

  it('leaves to the product what takes more than a code or a password', async () => {
    for (const more of [asksFor('passkey'), { status: 401, body: { code: 'other' } }]) {
      const opened = await open(page, '?token=x', { [preview]: seen('sign_in'), login: more })
      opened.element('current').value = 'Correct-horse-7'
      await opened.submit('sign-in-form')
      assert.equal(opened.element('heading').textContent, 'Sign in to the app first')
    }
  })

  it('leads to a new password from the sign-in, in the language of the page', async () => {
    const opened = await open(page, '?token=x&lang=es', { [preview]: seen('sign_in') })
    const link = opened.element('forgotten')
    assert.deepEqual(
      [link.isShown(), link.textContent, link.href],
      [true, '¿Olvidaste tu contraseña?', `${BASE}/reset-password?lang=es`],
    )
  })

  it('says that the address is reserved for another account, and that the invitation waits', async () => {
    const reserved = { status: 409, body: { code: 'email_reserved' } }
    const opened = await open(page, '?token=x', { [preview]: seen('register'), 'invitations/register': reserved })
    opened.element('name').value = 'Bob'
    opened.element('password').value = 'Correct-horse-7'
    await opened.submit('register')
    assert.equal(opened.element('heading').textContent, 'This address can’t be used yet')
    assert.match(opened.element('message').textContent, /less than 7 days ago.*again later/)
  })

  it('offers no account where there can be none, and declines without one', async () => {
    const opened = await open(page, '?token=x', { [preview]: seen('none'), 'invitations/decline': OK })
    assert.deepEqual([opened.has('register'), opened.has('sign-in-form')], [false, false])
    await opened.submit('decline')
    assert.equal(opened.element('heading').textContent, 'Invitation declined')
  })

  it('says that a link is dead or incomplete, with no form', async () => {
    for (const opened of [await open(page, '?token=x', { [preview]: DEAD }), await open(page, '')]) {
      assert.match(opened.element('heading').textContent, /^This link/)
      assert.equal(opened.root.querySelectorAll('form').length, 0)
    }
  })
})
