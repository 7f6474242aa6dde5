import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from './free-port.ts'
import type { ServiceNode } from './service-node.ts'
import type { Front } from './stage.ts'

const PROGRAM = 'nginx'

/** What docs/operations.md says, with default `max_fails` and `fail_timeout`, but without TLS. */
const configuration = (folder: string, port: number, nodes: Pick<ServiceNode, 'port'>[]) => `
daemon off;
master_process off;
pid ${folder}/pid;
error_log ${folder}/error.log warn;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream tenantry {
    ${nodes.map((node) => `server 127.0.0.1:${node.port};`).join('\n    ')}
    keepalive 32;
  }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 128k;
    location / {
      proxy_pass http://tenantry;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_buffering off;
      proxy_read_timeout 75s;
    }
  }
}`

export async function startNginx(nodes: Pick<ServiceNode, 'port'>[]): Promise<Front> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-nginx-'))
  const port = await freePort()
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(file, configuration(folder, port, nodes))
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }
  const child = spawn(PROGRAM, ['-p', folder, '-c', file, '-e', path.join(folder, 'error.log')], {
    env,
    stdio: 'inherit',
  })
  const ended = once(child, 'exit')
  const address = `http://127.0.0.1:${port}/api`
  while (!(await fetch(`${address}/health`).catch(() => undefined))?.ok)
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
  return {
    address,
    log: () => readFileSync(path.join(folder, 'error.log'), 'utf8'),
    async close() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
