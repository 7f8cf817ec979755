# SPDX-License-Identifier: MIT
"""Line plots as SVG: percent of a limit against powers of two. Dark on light, whatever the page is like."""
import math
from html import escape

WIDTH, HEIGHT = 760, 380
LEFT, RIGHT, TOP, BOTTOM = 52, 130, 40, 46
COLORS = ["#0b5cad", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0f766e", "#a16207", "#be185d"]
DASHES = ["", "6 3", "2 2", "8 3 2 3"]

Series = dict[str, list[tuple[float, float]]]


def power(x: float) -> str:
    exponent = round(math.log2(x))
    return f'2<tspan dy="-4" font-size="9">{exponent}</tspan>'


def scale(value: float, low: float, high: float, begin: float, end: float) -> float:
    return begin + (end - begin) * (value - low) / (high - low) if high > low else (begin + end) / 2


def grid(low: int, high: int, top: float) -> list[str]:
    lines = []
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    step = 20 if top <= 140 else 50
    for percent in range(0, int(top) + 1, step):
        y = scale(percent, 0, top, bottom, TOP)
        weight = 1.5 if percent == 100 else 0.6
        lines.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#9ca3af" stroke-width="{weight}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>')
    for exponent in range(low, high + 1, max(1, math.ceil((high - low) / 14))):
        x = scale(exponent, low, high, LEFT, right)
        lines.append(f'<path d="M{x:.1f} {bottom}v5" stroke="#4b5563"/>')
        lines.append(f'<text x="{x:.1f}" y="{bottom + 20}" text-anchor="middle">{power(2.0 ** exponent)}</text>')
    return lines


def place_labels(ends: list[float]) -> list[float]:
    """Heights of the labels: beside the ends of their lines, and none on another."""
    placed, order = list(ends), sorted(range(len(ends)), key=lambda i: ends[i])
    for above, here in zip(order, order[1:]):
        placed[here] = max(placed[here], placed[above] + 15)
    down = max(0.0, max(placed, default=0) - (HEIGHT - BOTTOM))
    return [y - down for y in placed]


def draw(title: str, meaning: str, series: Series) -> str:
    points = [point for line in series.values() for point in line]
    low = math.floor(min(math.log2(x) for x, _ in points))
    high = math.ceil(max(math.log2(x) for x, _ in points))
    top = max(105.0, max(y for _, y in points) * 1.05)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
             'font-family="system-ui, sans-serif" font-size="12" fill="#111827" role="img">',
             f"<title>{escape(title)}: percent of the limit</title>",
             f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#ffffff"/>',
             f'<text x="{LEFT}" y="24" font-size="15" font-weight="600">{escape(title)}, percent of the limit</text>',
             *grid(low, high, top),
             f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 8}" text-anchor="middle">{escape(meaning)}</text>']
    placed = place_labels([scale(line[-1][1], 0, top, bottom, TOP) for line in series.values()])
    for number, (name, line) in enumerate(series.items()):
        color, dash = COLORS[number % len(COLORS)], DASHES[number % len(DASHES)]
        path = "L".join(f"{scale(math.log2(x), low, high, LEFT, right):.1f} {scale(y, 0, top, bottom, TOP):.1f}" for x, y in line)
        end = scale(math.log2(line[-1][0]), low, high, LEFT, right)
        lines.append(f'<path d="M{path}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dash}"/>')
        lines.append(f'<text x="{max(end, right) + 8:.1f}" y="{placed[number] + 4:.1f}" fill="{color}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>", ""])
