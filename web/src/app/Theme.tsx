/** Light, dark, or as the system is. */
import { useEffect, useState } from 'react'

const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const KEY = 'assay.theme'
const SIGNS: Readonly<Record<Theme, string>> = { auto: '◐', light: '○', dark: '●' }

function stored(): Theme {
  const text = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === text) ?? 'auto'
}

/** A button that cycles through the themes. */
export function ThemeButton() {
  const [theme, choose] = useState(stored)
  useEffect(() => {
    localStorage.setItem(KEY, theme)
    if (theme === 'auto') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme
  }, [theme])
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto'
  return (
    <button
      type="button"
      className="quiet theme"
      aria-label={`Theme: ${theme}. Switch to ${next}.`}
      onClick={() => choose(next)}
    >
      <span aria-hidden="true">{SIGNS[theme]}</span>
    </button>
  )
}
