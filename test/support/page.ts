import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { documentOf, type Page } from '../../src/features/pages/document.ts'
import { testBrand } from './brand.ts'

const ASSETS = path.join(import.meta.dirname, '../../src/features/pages/assets')
const VOID = new Set(['meta', 'link', 'img', 'input', 'br'])

/** As much of an element as the scripts of the pages know. */
export class FakeElement {
  readonly tag: string
  readonly attributes: Map<string, string>
  readonly dataset: Record<string, string> = {}
  readonly classList = { toggle: (): void => {} }
  children: (FakeElement | string)[] = []
  parent: FakeElement | undefined
  value = ''
  lang = ''
  valid = true
  listeners = new Map<string, (event: object) => unknown>()
  readonly #page: FakePage

  constructor(page: FakePage, tag: string, attributes: Map<string, string> = new Map()) {
    this.#page = page
    this.tag = tag
    this.attributes = attributes
    for (const [name, value] of attributes)
      if (name.startsWith('data-')) this.dataset[name.slice('data-'.length)] = value
  }

  get id() {
    return this.attributes.get('id')
  }
  get content() {
    return this.attributes.get('content')
  }
  get href() {
    return new URL(this.attributes.get('href') ?? '', this.#page.address).href
  }
  set href(address: string) {
    this.attributes.set('href', address)
  }
  get hidden() {
    return this.attributes.has('hidden')
  }
  set hidden(hidden: boolean) {
    if (hidden) this.attributes.set('hidden', '')
    else this.attributes.delete('hidden')
  }
  get validity() {
    return { valid: this.valid }
  }
  get textContent(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('')
  }
  set textContent(text: string | undefined) {
    this.children = text ? [text] : []
  }

  getAttribute = (name: string) => this.attributes.get(name) ?? null
  setAttribute = (name: string, value: string) => void this.attributes.set(name, value)
  removeAttribute = (name: string) => void this.attributes.delete(name)
  addEventListener = (type: string, listener: (event: object) => unknown) => void this.listeners.set(type, listener)
  append = (...added: (FakeElement | string)[]) => this.#insert(this.children.length, added)
  prepend = (...added: (FakeElement | string)[]) => this.#insert(0, added)
  after = (added: FakeElement) => {
    const { parent } = this
    if (parent) parent.#insert(parent.children.indexOf(this) + 1, [added])
  }
  remove = () => {
    if (this.parent) this.parent.children = this.parent.children.filter((child) => child !== this)
  }
  focus = () => {
    // Nothing that is hidden, gone or not made for it can have the focus.
    const focusable = this.attributes.has('tabindex') || ['input', 'button', 'a'].includes(this.tag)
    if (focusable && this.isShown()) this.#page.focused = this
  }
  querySelector = (selector: string) => this.querySelectorAll(selector)[0] ?? null
  querySelectorAll = (selector: string): FakeElement[] => this.all().filter((element) => element.#matches(selector))

  all(): FakeElement[] {
    return this.children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...child.all()]))
  }
  isShown(): boolean {
    return !this.hidden && (this === this.#page.root || (this.parent?.isShown() ?? false))
  }
  #insert(index: number, added: (FakeElement | string)[]) {
    for (const child of added) if (typeof child !== 'string') child.parent = this
    this.children.splice(index, 0, ...added)
  }
  #matches(selector: string): boolean {
    const [, name = '', value] = /^\[([\w-]+)(?:=([\w-]+))?\]$/.exec(selector) ?? []
    if (name === '') return this.tag === selector
    return this.attributes.has(name) && (value === undefined || this.attributes.get(name) === value)
  }
}

export interface Answer {
  status: number
  body?: object
}

/** A page with its script running, as far as a test can do without a browser. */
export class FakePage {
  readonly address: string
  readonly root: FakeElement
  /** What the script sent, in order: path and body. */
  readonly sent: [string, Record<string, string>][] = []
  title = ''
  focused: FakeElement | undefined
  readonly #answer: (path: string) => Answer

  constructor(page: Page, address: string, answer: (path: string) => Answer) {
    this.address = address
    this.#answer = answer
    this.root = new FakeElement(this, 'html')
    this.#parse(documentOf(testBrand(), page))
  }

  element(id: string): FakeElement {
    const found = this.root.all().find((element) => element.id === id)
    if (!found) throw new Error(`The page has no element ${id}`)
    return found
  }

  has = (id: string): boolean => this.root.all().some((element) => element.id === id && element.isShown())

  /** Everything that can be read, without the sentences for browsers without JavaScript. */
  text(): string {
    const [main] = this.root.querySelectorAll('main')
    const read = (element: FakeElement): string[] =>
      element.tag === 'noscript' || element.hidden
        ? []
        : element.children.flatMap((child) => (typeof child === 'string' ? [child.trim()] : read(child)))
    return main ? read(main).filter(Boolean).join(' ') : ''
  }

  async submit(formId: string): Promise<void> {
    await this.element(formId).listeners.get('submit')?.({ preventDefault() {} })
  }

  /** Loads the script of the page, with every module of it anew. */
  async run(script: string, languages: string[] = ['en']): Promise<void> {
    const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-page-'))
    cpSync(ASSETS, folder, { recursive: true })
    const location = new URL(this.address)
    const globals = {
      location,
      navigator: { languages },
      history: {
        replaceState: (_state: unknown, _title: string, to: string) => {
          location.href = new URL(to, location).href
        },
      },
      document: {
        documentElement: this.root,
        getElementById: (id: string) => this.root.all().find((element) => element.id === id) ?? null,
        querySelector: this.root.querySelector,
        querySelectorAll: this.root.querySelectorAll,
        createElement: (tag: string) => new FakeElement(this, tag),
        set title(title: string) {
          page.title = title
        },
      },
      fetch: async (to: string, { body }: { body: string }) => {
        this.sent.push([to, JSON.parse(body)])
        const { status, body: content = {} } = this.#answer(to)
        return Response.json({ success: status < 400, ...content }, { status })
      },
    }
    const page = this
    for (const [name, value] of Object.entries(globals))
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
    this.location = location
    try {
      await import(path.join(folder, `${script}.js`))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  location = new URL('http://localhost')

  #parse(source: string) {
    const open = [this.root]
    for (const [, text, closing, tag = '', rest = ''] of source.matchAll(
      /([^<]*)(?:<(\/?)(\w+)([^>]*)>|<![^>]*>|$)/g,
    )) {
      const parent = open.at(-1) as FakeElement
      if (text?.trim()) parent.append(text)
      if (closing) open.pop()
      else if (tag && tag !== 'html') {
        const pairs = [...rest.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(
          ([, name = '', value = '']) => [name, value] as const,
        )
        const element = new FakeElement(this, tag, new Map(pairs))
        parent.append(element)
        if (!VOID.has(tag)) open.push(element)
      }
    }
  }
}
