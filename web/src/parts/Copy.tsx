/** A button that copies. */
import { useEffect, useState } from 'react'

const SHOWN_MS = 1500

/** Copies a text, and says so for a moment. */
export function Copy({ text, what = 'this' }: { readonly text: string; readonly what?: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => undefined,
    )
  }
  return (
    <button type="button" className="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {isCopied ? (
          <path d="M3 8.5 6.5 12 13 4.5" />
        ) : (
          <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
        )}
      </svg>
    </button>
  )
}
