// What the documentation page does beyond what Swagger UI does by itself: signing in by trying it out authorizes all that
// is tried out next.

const HINT =
  '**Try it out:** execute `POST /api/auth/register` or `POST /api/auth/login` below, and this page sends the token and ' +
  'the company along with everything that you execute next. *Authorize* shows them and takes others.'

const SwaggerUI = window.SwaggerUIBundle
window.SwaggerUIBundle = Object.assign((config) => {
  const plugins = [...config.plugins, Hint]
  const ui = SwaggerUI({ ...config, plugins, responseInterceptor: (response) => signInBy(response, ui) })
  return ui
}, SwaggerUI)

/** What only the page can do stands above what the document says. */
function Hint() {
  const updateJsonSpec = (original) => (document) => original(document?.info ? withHint(document) : document)
  return { statePlugins: { spec: { wrapActions: { updateJsonSpec } } } }
}

function withHint(document) {
  const { info } = document
  return { ...document, info: { ...info, description: `${HINT}\n\n${info.description}` } }
}

/** An answer with a token in it authorizes what is tried next, in the first company that it names. */
function signInBy(response, ui) {
  const { accessToken, tenants } = response.body?.data ?? {}
  if (typeof accessToken !== 'string') return response
  const schemes = ui.specSelectors.specJson().toJS().components.securitySchemes
  for (const [name, value] of [
    ['accessToken', accessToken],
    ['company', tenants?.[0]?.id],
  ]) {
    if (value) ui.authActions.authorizeWithPersistOption({ [name]: { name, schema: schemes[name], value } })
  }
  return response
}
