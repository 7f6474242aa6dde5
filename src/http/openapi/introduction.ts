/** What stands above the operations: everything that holds for all of them, in the order in which one would learn it. */
export const INTRODUCTION = `Accounts, companies, members, roles and permissions of a multi-tenant service.

## From nothing to the first request

1. \`POST /api/auth/register\` makes an account and its first company, and answers a pair of tokens.
2. Send the access token with every request that is not public: \`Authorization: Bearer <accessToken>\`. It holds for 15 minutes.
3. \`POST /api/auth/refresh\` exchanges the refresh token for a new pair. Each refresh token is good once; keep the new one.
4. Operations on members, branches, roles, permissions and the audit act in one company: name it by its id in
   \`x-company-id\`. The ids are in \`tenants\` of the answer to register, login and \`GET /api/auth/me\`.
5. What you may do there is in \`companyPermissions\`. An operation that needs a permission says which (\`x-permission\`).
   Rights are read anew at every request.

While a temporary password is in force, everything but changing it and signing out answers 403 \`password_change_required\`.

## Answers

Every success is \`{ "success": true, "data": … }\`, some with a \`message\` for people. JSON is UTF-8, times are ISO 8601 in UTC.
Schemas of answers are closed here so that they can be checked to the letter; **fields may be added** later, and a client
leaves alone what it does not know. Unknown fields of a request are dropped. Text is trimmed and put into Unicode's NFC
before it is measured.

## Errors

Every error has \`statusCode\`, \`message\` (for people; may change), \`error\` (the name of the status) and \`code\` (for programs;
never changes). A failed validation lists each field in \`details\`; a missing permission is named in \`required\`. They are
told in this order: 429, 404 for an unknown address (\`route_not_found\`), 401, 403 for a temporary password, 400 for \`x-company-id\`, 403 for
the membership and the permission, 400 for the rest of the request, then 404, 409 and 422. What belongs to another
company looks exactly like what never was. Give support the \`x-request-id\` of the answer.

## Lists

Counted lists take \`page\`, \`limit\` (20, at most 100), \`sortBy\` and \`sortDir\`, and tell the \`total\`. Walked lists take \`limit\`
and \`cursor\`, and give a \`nextCursor\` until \`hasNext\` is false. Pages never overlap. A parameter that is left empty
counts as left out.

## Limits

30 requests a minute from one address over all operations together, unless the operator chose another number, and tighter
ones where an operation says so. \`RateLimit\` and \`RateLimit-Policy\` tell what is left; a 429 has \`Retry-After\`. Too many wrong
passwords for one account answer 429 \`too_many_attempts\`.

## Trying again: Idempotency-Key

An answer can get lost on its way. Send an \`Idempotency-Key\` (a random text of your own, such as a UUID) with a POST, PUT,
PATCH or DELETE, and the same one when you repeat it: the repetition does nothing again and gets the first answer. At
\`refresh\` it saves the session when the answer with the new pair was lost. An answer with tokens or a temporary password
is repeated for ten minutes, and not after a change of what it came of: session, password or address.

## Editing side by side: ETag and If-Match

A single company, branch, role or member comes with an \`ETag\`. Send it back as \`If-Match\` with your change, and the change
is refused when somebody else was faster; as \`If-None-Match\` with a GET it spares you the body of what has not changed.`
