/** What a process may do with its keys beside the other nodes of the service. One with a wrong APP_SECRET may neither. */
export interface KeyUse {
  /** Sign the audit log, seal what a former key has sealed, and judge links: no other node would agree. */
  maySeal: boolean
  /** Send emails, whose links no other node would accept. */
  maySend: boolean
}
