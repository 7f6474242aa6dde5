/** What stands above the operations: everything that holds for all of them, in the order in which one would learn it. */
export const INTRODUCTION = `Manage accounts, companies, members, roles, and permissions of a multi-tenant service.

## Get started

1. Create an account and its first company with \`POST /api/auth/register\`. The response contains an access token and a refresh token.
2. Send the access token with every request that requires authentication: \`Authorization: Bearer <accessToken>\`. It’s valid for 15 minutes.
3. Before it expires, exchange the refresh token for a new pair with \`POST /api/auth/refresh\`. A refresh token works only once, so store the new one.
   A browser can keep it in a cookie that no script reads: send \`sessionIn: "cookie"\` to sign up or in, then \`x-session: cookie\` to refresh and sign out.
4. To work with members, branches, roles, permissions, or the audit log, set \`x-company-id\` to the ID of a company. You find the IDs
   in \`tenants\` in the responses to register, login, and \`GET /api/auth/me\`.
5. \`companyPermissions\` lists what you can do in each company. If an operation requires a permission, its \`x-permission\` names it.
   Permissions are checked on every request.

While you have a temporary password, every operation except changing it and signing out returns 403 \`password_change_required\`.

## Responses

Every successful response is \`{ "success": true, "data": … }\`, sometimes with a human-readable \`message\`. JSON is UTF-8, and times are
ISO 8601 in UTC. The response schemas here are strict so that they can be tested exactly, but **new fields may be added** at any
time: ignore fields you don’t know. Unknown request fields are ignored. Text is trimmed and normalized to Unicode NFC before its length is checked.

## Errors

Every error has a \`statusCode\`, a human-readable \`message\` (can change), an \`error\` (the name of the status), and a \`code\` for programs
(never changes). If validation fails, \`details\` lists each field. If a permission is missing, \`required\` names it. Errors are checked in this order:
429; 404 \`route_not_found\`; 401; 403 for a temporary password; 400 for \`x-company-id\`; 403 for membership and permission;
400 for the rest of the request; then 404, 409, and 422. Another company’s data looks as if it doesn’t exist.
When you contact support, include the \`x-request-id\` of the response.

## Pagination

Page-based lists take \`page\`, \`limit\` (default 20, maximum 100), \`sortBy\`, and \`sortDir\`, and return the \`total\`. Cursor-based lists take
\`limit\` and \`cursor\`, and return a \`nextCursor\` until \`hasNext\` is false. Pages never overlap. An empty query parameter counts as left out.

## Rate limits

By default, 30 requests per minute per IP address across all operations; some operations have lower limits of their own. \`RateLimit\` and
\`RateLimit-Policy\` tell you what’s left. A 429 response includes \`Retry-After\`. Too many wrong passwords for one account return 429
\`too_many_attempts\`.

## Safe retries: Idempotency-Key

A response can get lost. Send an \`Idempotency-Key\` (a random string, such as a UUID) with a POST, PUT, PATCH, or DELETE request, and
use the same key when you retry it. The retry isn’t executed again and returns the first response. With \`refresh\`, this keeps
the session alive if the response with the new tokens was lost. A response with tokens or a temporary password is repeated
for ten minutes only, and not after the session, the password, or the address has changed.

## Concurrent edits: ETag and If-Match

A single company, branch, role, or member is returned with an \`ETag\`. Send it in \`If-Match\` when you update the resource: the update is rejected
if someone else changed it first. Send it in \`If-None-Match\` with a GET to get 304 without a body if nothing changed.
`
