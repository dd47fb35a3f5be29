"""The line protocol of the receiver: its lines and their values. See README.md."""

LONGEST_LINE = 64
# The volume of the receiver is from 0 to this number, in halves.
LOUDEST = 98

QUERIES = {"power": "PW?", "input": "SI?", "volume": "MV?", "muted": "MU?", "mode": "MS?"}

_WORDS = {
    "PWON": ("power", "on"),
    "PWSTANDBY": ("power", "off"),
    "MUON": ("muted", True),
    "MUOFF": ("muted", False),
    "MSSTEREO": ("mode", "stereo"),
}


class LineSplitter:
    """Divides received bytes into lines. Longer lines than LONGEST_LINE bytes are left out."""

    def __init__(self):
        self._rest = b""
        self._is_too_long = False

    def split(self, received):
        """Returns the lines that these bytes complete, without their ends and without empty lines.

        A line ends with CR. LF counts as an end too, because some receivers send both.
        """
        complete = []
        *ended, self._rest = (self._rest + received).replace(b"\n", b"\r").split(b"\r")
        for line in ended:
            if line and len(line) <= LONGEST_LINE and not self._is_too_long:
                complete.append(line)
            self._is_too_long = False
        if len(self._rest) > LONGEST_LINE:
            self._rest = b""
            self._is_too_long = True
        return complete


def read_report(line):
    """Returns the key of the state and the value that a line reports; None for any other line.

    The value of `input` is the receiver's name, that of `volume` a number of its own scale.
    """
    text = line.decode("ascii", "replace")
    if text in _WORDS:
        return _WORDS[text]
    command, value = text[:2], text[2:]
    if command == "MV":
        volume = read_volume(value)
        return None if volume is None else ("volume", volume)
    if not value or not value.isprintable() or "?" in value or "\ufffd" in value:
        return None
    if command == "SI":
        return "input", value
    # Every mode except stereo plays on more than two speakers.
    return ("mode", "surround") if command == "MS" else None


def read_volume(digits):
    """Reads a volume: two digits, and 5 as a third one for a half. None for anything else."""
    is_number = digits.isascii() and digits.isdigit() and len(digits) in (2, 3)
    if not is_number or digits[2:] not in ("", "0", "5"):
        return None
    volume = int(digits) / (10 if len(digits) == 3 else 1)
    return volume if volume <= LOUDEST else None


def write_volume(volume):
    """Writes a volume in halves: 45 is `45`, 45.5 is `455`."""
    halves = round(volume * 2)
    return f"{halves // 2:02}" + ("5" if halves % 2 else "")


def volume_of_percent(percent, highest):
    """Returns the volume of the receiver, in halves, for a volume in % of the highest one."""
    return round(percent * highest / 50) / 2


def percent_of_volume(volume, highest):
    """Returns the volume in %.

    A percentage that was set is read again: a half is less than 1 % of a highest volume above 50.
    """
    return min(100, round(volume * 100 / highest))
