// The frame of the documentation page: a bar with Authorize, a list of contents with a filter, groups that start
// collapsed, and links into them (`#/Members/addMember`) that land where they point.

{
  const Bundle = window.SwaggerUIBundle
  window.SwaggerUIBundle = Object.assign((config) => {
    const ui = Bundle({
      ...config,
      layout: 'DocumentationLayout',
      docExpansion: 'none',
      // Its own scrolling knows nothing of the bar, and gives up where a group is collapsed.
      deepLinking: false,
      plugins: [...config.plugins, DocumentationLayout],
      onComplete: () => land(ui, location.hash),
    })
    window.addEventListener('hashchange', () => land(ui, location.hash))
    return ui
  }, Bundle)
}

{
  // The page that Swagger UI is served in names no viewport: a phone would show it as a wide screen, made small.
  const viewport = document.createElement('meta')
  viewport.name = 'viewport'
  viewport.content = 'width=device-width, initial-scale=1'
  document.head.append(viewport)
}

const scheme = window.matchMedia('(prefers-color-scheme: dark)')
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', scheme.matches)
applyScheme()
scheme.addEventListener('change', applyScheme)

const LANDING_MS_MAX = 3000

/** Opens the group and the operation that a link names, and scrolls there once they are drawn. */
function land(ui, hash) {
  const [tag, operationId] = namesIn(hash)
  const target = tag && targetOf(tag, operationId)
  if (!tag || !groupsIn(ui.specSelectors).some(({ name }) => name === tag)) return
  ui.layoutActions.show(['operations-tag', tag], true)
  if (operationId) ui.layoutActions.show(['operations', tag, operationId], true)
  scrollWhenDrawn(target, performance.now() + LANDING_MS_MAX)
}

function namesIn(hash) {
  try {
    return /^#\//.test(hash) ? hash.slice(2).split('/').map(decodeURIComponent) : []
  } catch {
    return []
  }
}

const targetOf = (tag, operationId) =>
  operationId ? `operations-${underscored(tag)}-${operationId}` : `operations-tag-${underscored(tag)}`

/** As Swagger UI makes ids of names. */
const underscored = (name) => name.trim().replace(/\s/g, '_')

const linkTo = (...names) => `#/${names.map(encodeURIComponent).join('/')}`

function scrollWhenDrawn(id, until) {
  const target = document.getElementById(id)
  // A group that is still drawn as collapsed would leave the page too short to scroll to it. Without an animation: what
  // is drawn on the way would move the target.
  if (target && target.dataset.isOpen !== 'false') target.scrollIntoView({ behavior: 'instant', block: 'start' })
  else if (performance.now() < until) requestAnimationFrame(() => scrollWhenDrawn(id, until))
}

/** The groups of the document, each with its operations, in the order of the document. */
function groupsIn(specSelectors) {
  const { tags = [], paths = {} } = specSelectors.specJson().toJS()
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary, tags }]) => ({
      path,
      method,
      operationId,
      summary,
      tag: tags[0],
    })),
  )
  return tags.map(({ name }) => ({ name, operations: operations.filter(({ tag }) => tag === name) }))
}

/** Every word has to occur in the name of the group, the method, the path, the summary or the name of the operation. */
function matches({ tag, method, path, summary, operationId }, phrase) {
  const text = [tag, method, path, summary, operationId].join(' ').toLowerCase()
  return phrase
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/** A plugin of Swagger UI: https://swagger.io/docs/open-source-tools/swagger-ui/customization/custom-layout/ */
function DocumentationLayout({ React }) {
  const h = React.createElement

  function Layout({ getComponent, specSelectors, layoutSelectors, layoutActions }) {
    const [isMenuOpen, setMenuOpen] = React.useState(false)
    const component = (name, props) => h(getComponent(name, true), props)
    const closeMenu = () => setMenuOpen(false)
    const status = specSelectors.loadingStatus()
    if (status !== 'success') {
      const text = /^failed/.test(status ?? '') ? 'The document could not be loaded. Reload the page.' : 'Loading…'
      return h('div', { className: 'swagger-ui' }, h('p', { className: 'docs-status' }, text))
    }
    return h(
      'div',
      { className: 'swagger-ui' },
      component('SvgAssets'),
      h(
        'header',
        { className: 'docs-bar' },
        h(
          'button',
          {
            type: 'button',
            className: 'docs-menu',
            'aria-expanded': isMenuOpen,
            'aria-controls': 'contents',
            'aria-label': 'Contents',
            onClick: () => setMenuOpen(!isMenuOpen),
          },
          h('span', { 'aria-hidden': true }, isMenuOpen ? '✕' : '☰'),
        ),
        h(Brand, { name: specSelectors.info().get('title') }),
        component('AuthorizeBtnContainer'),
      ),
      h(
        'div',
        { className: 'docs-columns' },
        h(
          'nav',
          { id: 'contents', 'aria-label': 'Contents', className: isMenuOpen ? 'docs-contents open' : 'docs-contents' },
          h(Contents, { specSelectors, layoutSelectors, layoutActions, onChoice: closeMenu }),
        ),
        h(
          'main',
          { className: 'docs-main' },
          component('errors'),
          component('InfoContainer'),
          h(NoMatch, { specSelectors, layoutSelectors }),
          component('operations'),
        ),
      ),
    )
  }

  const Brand = ({ name }) =>
    h(
      'a',
      { className: 'docs-brand', href: '#/', onClick: () => window.scrollTo(0, 0) },
      h('img', { src: document.querySelector('link[rel=icon]').href, alt: '', width: 28, height: 28 }),
      h('span', null, name, h('span', { className: 'docs-kind' }, ' API')),
    )

  function Contents({ specSelectors, layoutSelectors, layoutActions, onChoice }) {
    const phrase = phraseOf(layoutSelectors)
    const groups = shownGroups(specSelectors, phrase)
    return h(
      React.Fragment,
      null,
      h('input', {
        type: 'search',
        className: 'docs-filter',
        placeholder: 'Filter operations',
        'aria-label': 'Filter operations',
        value: phrase,
        onChange: ({ target }) => filterBy(target.value, { specSelectors, layoutActions }),
      }),
      h('p', { className: 'docs-count', role: 'status' }, phrase.trim() && countOf(groups)),
      h(
        'ul',
        null,
        groups.map((group) => {
          const { name } = group
          const isOpen = layoutSelectors.isShown(['operations-tag', name], false)
          return h(
            'li',
            { key: name },
            h(Entry, { names: [name], onChoice }, name),
            isOpen &&
              h(
                'ul',
                null,
                group.operations.map((operation) => h(OperationEntry, { operation, onChoice })),
              ),
          )
        }),
      ),
    )
  }

  const OperationEntry = ({ operation: { tag, operationId, method, summary }, onChoice }) =>
    h(
      'li',
      { key: operationId },
      h(
        Entry,
        { names: [tag, operationId], onChoice },
        h('span', { className: `docs-method ${method}` }, method === 'delete' ? 'del' : method),
        ' ',
        summary,
      ),
    )

  /** Its address may be the one of the page already: then nothing but the click tells that it was chosen again. */
  const Entry = ({ names, onChoice, children }) =>
    h(
      'a',
      {
        href: linkTo(...names),
        onClick: () => {
          onChoice()
          if (location.hash === linkTo(...names)) window.dispatchEvent(new Event('hashchange'))
        },
      },
      children,
    )

  const NoMatch = ({ specSelectors, layoutSelectors }) =>
    shownGroups(specSelectors, phraseOf(layoutSelectors)).length === 0 &&
    h('p', { className: 'docs-status' }, 'No operation matches the filter.')

  return {
    components: { DocumentationLayout: Layout, DeepLink: (props) => h(DeepLink, { ...props, h }) },
    fn: { opsFilter },
    statePlugins: { layout: { wrapActions: { show: tellAddress } } },
  }
}

/** Links that can be copied. A click on one opens or closes what it is the heading of, and that is told to the address. */
function DeepLink({ path, text, h }) {
  const onClick = (event) => {
    if (!event.metaKey && !event.ctrlKey && !event.shiftKey) event.preventDefault()
  }
  return h('a', { className: 'nostyle', href: `#/${path}`, onClick }, h('span', null, text))
}

const phraseOf = (layoutSelectors) => {
  const phrase = layoutSelectors.currentFilter()
  return typeof phrase === 'string' ? phrase : ''
}

const shownGroups = (specSelectors, phrase) =>
  groupsIn(specSelectors)
    .map((group) => ({ ...group, operations: group.operations.filter((operation) => matches(operation, phrase)) }))
    .filter(({ operations }) => operations.length > 0)

function countOf(groups) {
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0)
  return count === 1 ? '1 operation' : `${count} operations`
}

/** Groups that the filter opened, to be closed with it. */
const openedByFilter = new Set()
let isFiltering = false

function filterBy(phrase, { specSelectors, layoutActions }) {
  layoutActions.updateFilter(phrase.trim() === '' ? '' : phrase)
  const shown = phrase.trim() === '' ? [] : shownGroups(specSelectors, phrase).map(({ name }) => name)
  isFiltering = true
  for (const name of openedByFilter) {
    if (shown.includes(name)) continue
    layoutActions.show(['operations-tag', name], false)
    openedByFilter.delete(name)
  }
  for (const name of shown) {
    layoutActions.show(['operations-tag', name], true)
    openedByFilter.add(name)
  }
  isFiltering = false
}

/** What Swagger UI shows of a filter; its own looks at the names of groups alone. */
const opsFilter = (taggedOperations, phrase) =>
  taggedOperations
    .map((group, tag) =>
      group.update('operations', (operations) =>
        operations.filter((operation) =>
          matches(
            {
              tag,
              method: operation.get('method'),
              path: operation.get('path'),
              summary: operation.getIn(['operation', 'summary']),
              operationId: operation.getIn(['operation', 'operationId']),
            },
            phrase,
          ),
        ),
      ),
    )
    .filter((group) => group.get('operations').size > 0)

/** The address follows what the reader opens, so that it can be copied and reloaded. */
const tellAddress = (show) => (thing, isShown) => {
  const [kind, tag, operationId] = Array.isArray(thing) ? thing : []
  if (isShown && !isFiltering && (kind === 'operations-tag' || kind === 'operations')) {
    history.replaceState(null, '', linkTo(...[tag, operationId].filter(Boolean)))
  }
  return show(thing, isShown)
}
