// What the documentation page does beyond what Swagger UI does by itself: the company is chosen once, like the token, and
// whoever signs in by trying it out is signed in on the page.

const HINT =
  '**Try it out:** execute `POST /api/auth/register` or `POST /api/auth/login` below, and this page sends the token and ' +
  'the company along with everything that you execute next. *Authorize* shows them and takes others.'

const COMPANY = '#/components/parameters/CompanyId'

const SwaggerUI = window.SwaggerUIBundle
window.SwaggerUIBundle = Object.assign((config) => {
  const plugins = [...config.plugins, CompanyChosenOnce]
  const ui = SwaggerUI({ ...config, plugins, responseInterceptor: (response) => signInBy(response, ui) })
  return ui
}, SwaggerUI)

/** The document asks for the company with every operation; the page asks for it beside the token, and keeps it. */
function CompanyChosenOnce() {
  const updateJsonSpec = (original) => (document) => original(document?.paths ? askedOnce(document) : document)
  return { statePlugins: { spec: { wrapActions: { updateJsonSpec } } } }
}

function askedOnce(document) {
  const { info, components: all } = document
  const { parameters, securitySchemes, ...components } = all
  const { CompanyId, ...others } = parameters
  const company = { type: 'apiKey', in: 'header', name: CompanyId.name, description: CompanyId.description }
  const paths = mapValues(document.paths, (operations) => mapValues(operations, withoutCompany))
  const schemes = { ...securitySchemes, company }
  return {
    ...document,
    info: { ...info, description: `${HINT}\n\n${info.description}` },
    paths,
    components: { ...components, parameters: others, securitySchemes: schemes },
  }
}

function withoutCompany(operation) {
  const parameters = operation.parameters.filter(({ $ref }) => $ref !== COMPANY)
  if (parameters.length === operation.parameters.length) return operation
  return { ...operation, parameters, security: operation.security.map((needed) => ({ ...needed, company: [] })) }
}

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))

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
