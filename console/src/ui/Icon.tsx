import type { ReactNode } from 'react'

const shapes = {
  add: <path d="M12 5v14M5 12h14" />,
  arrowLeft: <path d="M19 12H5m6-6-6 6 6 6" />,
  audit: <path d="M8 4h8l4 4v12H4V4h4Zm0 8h8M8 16h5" />,
  branch: <path d="M6 4v16M6 10h9m3 0a2 2 0 1 0-4 0 2 2 0 0 0 4 0ZM6 18h9m3 0a2 2 0 1 0-4 0 2 2 0 0 0 4 0Z" />,
  check: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  chevronDown: <path d="m6 9 6 6 6-6" />,
  chevronLeft: <path d="m15 6-6 6 6 6" />,
  chevronRight: <path d="m9 6 6 6-6 6" />,
  chevronsUpDown: <path d="m8 9 4-4 4 4M8 15l4 4 4-4" />,
  close: <path d="m6 6 12 12M18 6 6 18" />,
  company: <path d="M4 20V6l8-3v17m0-11 8 3v8M2.5 20h19M8 8v.01M8 12v.01M8 16v.01M16 15v.01" />,
  copy: <path d="M9 9h10v11H9zM15 9V4H5v11h4" />,
  device: <path d="M4 5h16v11H4zM9 20h6" />,
  download: <path d="M12 4v11m-5-5 5 5 5-5M4 20h16" />,
  home: <path d="m4 11 8-7 8 7v9h-5v-6H9v6H4z" />,
  info: <path d="M12 11v5m0-8v.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z" />,
  key: <path d="M14.5 9.5 21 3m-2 2 2 2m-8.5 5a4.5 4.5 0 1 1-9 0 4.5 4.5 0 0 1 9 0Z" transform="translate(0 2)" />,
  mail: <path d="M3 6h18v12H3zm0 1 9 6 9-6" />,
  members: (
    <path d="M12.5 8a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0ZM2.5 20c.5-3.5 3-5.5 6.5-5.5s6 2 6.5 5.5m.5-15.3a3.5 3.5 0 0 1 0 6.6m2.5 3.7c1.7.9 2.7 2.600 3 5" />
  ),
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  more: <path d="M5 12v.01M12 12v.01M19 12v.01" strokeWidth="2.75" />,
  offline: (
    <path d="M4 4l16 16M8.500 16a5 5 0 0 1 6-.8M5 12.500a10 10 0 0 1 4-2.400m5 .2a10 10 0 0 1 5 2.200M12 20v.01" />
  ),
  role: <path d="m12 3 8 3v6c0 4.500-3.200 7.500-8 9-4.800-1.500-8-4.500-8-9V6zm-3.500 9 2.500 2.500 4.500-5" />,
  search: <path d="m20 20-4.500-4.500M17.500 10.750a6.750 6.750 0 1 1-13.500 0 6.750 6.750 0 0 1 13.500 0Z" />,
  settings: <path d="M4 7h9m4 0h3M4 17h3m4 0h9M17 7a2 2 0 1 1-4 0 2 2 0 0 1 4 0ZM11 17a2 2 0 1 1-4 0 2 2 0 0 1 4 0Z" />,
  signOut: <path d="M14 4h6v16h-6M4 12h11m-4-4 4 4-4 4" />,
  sort: <path d="M12 5v14m-5-5 5 5 5-5" />,
  user: <path d="M16 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM4.500 20c.6-4 3.500-6 7.500-6s6.900 2 7.500 6" />,
  warning: <path d="M12 9v4m0 4v.01M12 3.500 2.500 20h19z" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof shapes

/** Beside a text that says the same; an icon alone needs the name on its button. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={size > 20 ? 1.5 : 1.9}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {shapes[name]}
    </svg>
  )
}
