/** Everything before the hosts, the hosts, and everything behind them. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/**
 * One address for each host of a libpq address such as `postgres://user@one:5432,two:5433/name`, of which URLs know one
 * host only. The address itself when it names one host, or none.
 */
export function addressesIn(databaseUrl: string): string[] {
  const [, before = '', hosts = '', behind = ''] = PARTS.exec(databaseUrl) ?? []
  return hosts.includes(',') ? hosts.split(',').map((host) => before + host + behind) : [databaseUrl]
}

/** libpq's `target_session_attrs`: what the server has to be. */
export function sessionAttributesIn(databaseUrl: string): string | undefined {
  // Not parsed as a URL: an address with a user and a socket, such as postgres://ann@/name, is none.
  const [, query = ''] = /\?([^#]*)/.exec(databaseUrl) ?? []
  return new URLSearchParams(query).get('target_session_attrs') ?? undefined
}
