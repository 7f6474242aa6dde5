import type { Product } from '../servers/services.ts'
import { betterAuth } from './better-auth.ts'
import type { LoadSource } from './load-source.ts'
import { own } from './own.ts'
import type { World } from './world.ts'

/** One line of the report. */
export interface Row {
  key: string
  /** As the report calls it. */
  title: string
  /** What each product gets; a product without the feature is missing. */
  loads: Partial<Record<Product, LoadSource>>
  /** What runs beside it, unmeasured. */
  beside?: Partial<Record<Product, LoadSource>>
}

/** Every kind of request, in the order of the report. The state that requests continue from is kept between windows. */
export function rowsOf(world: World): Row[] {
  const [limit, tenantry, peer] = [own(world, 'limit'), own(world, 'tenantry'), betterAuth(world)]
  const both = (name: Exclude<keyof typeof limit, 'list' | 'add'>) => ({ limit: limit[name], tenantry: tenantry[name] })
  const members = (query: string, company: number, connections?: number) => ({
    limit: limit.list(query, company, connections),
    tenantry: tenantry.list(query, company, connections),
  })
  const { rare, common, two, none } = world.words
  const sizes = world.sizes.measured.map((size) => size.toLocaleString('en'))
  const companies = world.sizes.otherCompanies + 4
  return [
    { key: 'me', title: 'me, 1 company', loads: { ...both('me'), betterAuth: peer.me } },
    { key: 'me-many', title: `me, ${companies} companies`, loads: { ...both('meMany'), betterAuth: peer.meMany } },
    { key: 'refused', title: 'a refused permission', loads: { ...both('refused'), betterAuth: peer.refused } },
    ...sizes.map((size, index) => ({
      key: `list-${index + 1}`,
      title: `list, page 1 of ${size} members`,
      loads: { ...members('', index), betterAuth: peer.list(0, index) },
    })),
    {
      key: 'page',
      title: `list, page 1,000 of ${sizes[3]}, one at a time`,
      loads: { ...members('?page=1000', 3, 1), betterAuth: peer.list(19_980, 3, 1) },
    },
    { key: 'search-rare', title: 'search, a rare word, one at a time', loads: members(`?search=${rare}`, 3, 1) },
    { key: 'search-common', title: 'search, a name of 3 %, one at a time', loads: members(`?search=${common}`, 3, 1) },
    { key: 'search-two', title: 'search, two characters, one at a time', loads: members(`?search=${two}`, 3, 1) },
    { key: 'search-none', title: 'search, nothing to find, one at a time', loads: members(`?search=${none}`, 3, 1) },
    { key: 'audit', title: 'audit list', loads: both('audit') },
    {
      key: 'add',
      title: `add a member to ${sizes[1]}, 8 at a time`,
      loads: { limit: limit.add(1), tenantry: tenantry.add(1) },
    },
    {
      key: 'add-largest',
      title: `add a member to ${sizes[3]}, 8 at a time`,
      loads: { limit: limit.add(3), tenantry: tenantry.add(3) },
    },
    { key: 'patch', title: 'change a member', loads: { ...both('patch'), betterAuth: peer.patch } },
    { key: 'refresh', title: 'refresh', loads: both('refresh') },
    { key: 'login', title: 'login', loads: { ...both('login'), betterAuth: peer.login } },
    { key: 'logout', title: 'logout', loads: { ...both('logout'), betterAuth: peer.logout } },
    {
      key: 'me-beside',
      title: 'me, 1 company, while logins run beside it',
      loads: { ...both('me'), betterAuth: peer.me },
      beside: { ...both('loginBeside'), betterAuth: peer.loginBeside },
    },
  ]
}
