/** In a header of a plan: the entity tag that the resource has when the request is sent. */
export const CURRENT = '"current"'
